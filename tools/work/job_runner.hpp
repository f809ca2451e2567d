#pragma once

#include <memory>

#include "tools/input/command.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// One process that takes part in a job (`sweep --job`).
class JobRunner {
 public:
  // Reads the plan, and refuses definitions and a device other than those of the job. Throws
  // InputError and MachineError.
  explicit JobRunner(const Arguments& arguments);
  ~JobRunner();

  // Sweeps units until none is left, a signal comes, or a Slurm job is about to end. A unit that
  // this machine cannot measure is left to others. Returns the worst status of its units.
  int run();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tilewright::tools
