#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "tools/input/command.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/run/interrupt.hpp"

namespace tilewright::tools {

struct SweepStart {
  Beginning beginning = Beginning::as_asked;
  std::string place = {};  // "[2 of 7 finished] ", goes before its title
};

// Sweeps one problem after another as `given` says. Shows the progress on standard error,
// with the best configuration so far.
class SweepRunner {
 public:
  // `given` must outlive it. Signals are handled from the first claim of a device on.
  explicit SweepRunner(const SweepGiven& given);
  // One of several runners that share resources, each on a thread of its own.
  struct Together {
    std::shared_ptr<CampaignResources> resources;
    std::vector<DeviceReport> helpers;  // of its device
    std::string device;                 // begins its lines; empty: nothing does
    std::mutex& turn;                   // held while it prints
    const std::atomic<bool>& stop;
  };
  SweepRunner(const SweepGiven& given, InterruptGuard& interrupt, const Together& together);
  ~SweepRunner();

  // Waits for the device before there is a sweep. False: a signal ended the waiting, or `stop`.
  bool claim(const DeviceReport& device, const std::atomic<bool>& stop);

  // Throws as Campaign::run() does.
  StoredSweep run(PreparedSweep& sweep, const SweepStart& start = {});

 private:
  class Progress;
  const SweepGiven& given_;
  std::unique_ptr<Progress> progress_;
  Campaign campaign_;
};

CampaignOptions campaign_options(const SweepGiven& given);

ExitStatus status_of(const SweepGiven& given, const StoredSweep& sweep);

}  // namespace tilewright::tools
