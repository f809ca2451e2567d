#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign/workers.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// The compilers that PATH and CUDA's environment variables name.
Toolchain toolchain();

// The limits of a GPU of an architecture such as "sm_90a". The GPU need not be in this machine.
// Throws InputError for an architecture that neither NVRTC nor the table of limits knows.
Device planned_device(const std::string& architecture);

// That of --arch, else the first GPU, else one of sm_90.
Device device_to_plan_for(const Arguments& arguments);

// --jobs; 0 if it was not given.
int jobs_of(const Arguments& arguments);

// Reads --jobs, --cache and the limits. Throws InputError, and MachineError if there is no worker
// program.
WorkerOptions worker_options(const Arguments& arguments);

// The options that limit the worker processes.
std::vector<OptionSpec> limit_options();
// Throws InputError for a value that such an option does not accept.
void check_limits(const Arguments& arguments);

// What claim_device() calls if it has to wait. Prints the sentence on standard error; with
// --no-wait it throws a MachineError with the sentence instead.
std::function<void(const std::string&)> when_claimed(const Arguments& arguments);

}  // namespace tilewright::tools
