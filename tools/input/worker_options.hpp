#pragma once

#include <functional>
#include <string>

#include "campaign/device_lock.hpp"
#include "campaign/workers.hpp"
#include "tools/input/options.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

// The options of commands that compile or measure.
struct Measuring {
  Places places;
  std::string device;     // --device; empty: not given
  WorkerOptions workers;  // --jobs and the limits of processes; worker_options() adds the rest
  bool may_wait = true;   // --no-wait: while another process measures there

  void declare_jobs(Options& all);
  void declare_compile_limits(Options& all);
  void declare_limits(Options& all);  // of all steps
  void declare_no_wait(Options& all);
};

// The compilers that PATH and CUDA's environment variables name.
Toolchain toolchain();

// library_version() with these.
std::string library_here(const std::string& routine);

// The limits of a GPU of an architecture such as "sm_90a". The GPU need not be in this machine.
// Throws InputError for an architecture that neither NVRTC nor the table of limits knows.
Device planned_device(const std::string& architecture);

// One of that architecture; if it is empty the first GPU, else one of sm_90.
Device device_to_plan_for(const std::string& architecture);

// With the programs and the cache. Throws MachineError if there is no worker program.
WorkerOptions worker_options(const Measuring& given);

// What claim_device() calls if it has to wait. Prints the sentence on standard error; with
// --no-wait it throws a MachineError with the sentence instead.
std::function<void(const std::string&)> when_claimed(const Measuring& given);

// claim_device() with that, and with lock_folder(). Warns if locks of other users are not seen.
DeviceClaim claim(const Measuring& given, const DeviceReport& device,
                  const std::atomic<bool>& stop);

}  // namespace tilewright::tools
