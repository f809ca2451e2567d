#pragma once

#include <memory>

#include "tools/input/command.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// One process that takes part in a job (`sweep --job`), with one or several devices. Each device is
// a member of the job and takes the next unit when it is free; they share the compile processes.
class JobRunner {
 public:
  // Reads the plan, and refuses definitions and devices other than those of the job. Throws
  // InputError and MachineError.
  explicit JobRunner(const Arguments& arguments);
  ~JobRunner();

  // Sweeps units until none is left, a signal comes, or a Slurm job is about to end. A unit that
  // this machine cannot measure is left to others. Returns the worst status of its units.
  int run();

 private:
  class Seat;
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tilewright::tools
