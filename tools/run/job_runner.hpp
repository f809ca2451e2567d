#pragma once

#include <memory>
#include <string>
#include <vector>

#include "campaign/target.hpp"
#include "tools/input/command.hpp"
#include "tools/input/sweep_options.hpp"

namespace tilewright::tools {

// What identifies the implementations of a job.
std::vector<ImplementationKey> definitions_of(const Target& target);

// How a process takes part in a job.
struct JobMemberGiven {
  std::string folder;  // of the job
  std::string local;   // --local
  SweepGiven sweep;    // without what the plan decides
};

// One process that takes part in a job (`job run`), with one or several devices. Each device is
// a member of the job and takes the next unit when it is free; they share the compile processes.
class JobRunner {
 public:
  // Reads the plan, and refuses definitions and devices other than those of the job. Throws
  // InputError and MachineError.
  explicit JobRunner(const JobMemberGiven& given);
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
