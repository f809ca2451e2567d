#pragma once

#include <memory>

#include "campaign/campaign.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// Sweeps one problem after another as a command line says. Shows the progress on standard error,
// with the best configuration so far.
class SweepRunner {
 public:
  // The arguments must outlive it.
  explicit SweepRunner(const Arguments& arguments);
  ~SweepRunner();

  // Throws as Campaign::run() does.
  StoredSweep run(PreparedSweep& sweep);

 private:
  class Progress;
  const Arguments& arguments_;
  std::unique_ptr<Progress> progress_;
  Campaign campaign_;
};

}  // namespace tilewright::tools
