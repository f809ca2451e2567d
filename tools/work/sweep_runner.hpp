#pragma once

#include <memory>

#include "campaign/campaign.hpp"
#include "tools/input/command.hpp"
#include "tools/input/options.hpp"
#include "tools/work/interrupt.hpp"

namespace tilewright::tools {

// Sweeps one problem after another as a command line says. Shows the progress on standard error,
// with the best configuration so far.
class SweepRunner {
 public:
  // The arguments must outlive it, and so must the guard. Without one, signals are handled from the
  // first claim of a device on.
  explicit SweepRunner(const Arguments& arguments, InterruptGuard* interrupt = nullptr);
  ~SweepRunner();

  // Waits for the device before there is a sweep. False: a signal ended the waiting.
  bool claim(const DeviceReport& device);

  // Throws as Campaign::run() does.
  StoredSweep run(PreparedSweep& sweep);

 private:
  class Progress;
  const Arguments& arguments_;
  std::unique_ptr<Progress> progress_;
  Campaign campaign_;
};

// The exit status that a sweep gives.
ExitStatus status_of(const Arguments& arguments, const StoredSweep& sweep);

}  // namespace tilewright::tools
