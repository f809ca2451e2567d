#pragma once

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

// Takes part in a job as one process (`job run`), with one or several devices. Each device is a
// member of the job and takes the next unit when it is free; they share the compile processes.
// Reads the plan, and refuses definitions and devices other than those of the job. Then sweeps
// units until none is left, a signal comes, or a Slurm job is about to end. A unit that this
// machine cannot measure is left to others. Returns the worst status of its units. Throws
// InputError and MachineError.
int run_job(const JobMemberGiven& given);

}  // namespace tilewright::tools
