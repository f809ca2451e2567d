#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"
#include "tools/input/options.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::bench {

// The study's own options, in addition to those of Google Benchmark.
struct StudyGiven {
  std::string widths = "100,500,700,1000,2000";
  tools::Measuring measuring;

  void declare(tools::Options& all);
};

// One of the study's kernels.
enum class Series { naive, textbook, textbook_32, tuned };

// A kernel's times for one width, or why there are none.
struct DeviceResult {
  std::string why_not;  // empty: measured
  std::string configuration;
  std::string policy;
  Verification verification;
  Timing timing;
};

// Measures the study's kernels by the project's protocol (docs/measurement.md). Each kernel works
// on the same data as the sequential loop. Every element of its result is compared with float64.
class DeviceStudy {
 public:
  static constexpr int kSamples = 20;

  // Throws InputError, and MachineError if there is no device or compiler.
  explicit DeviceStudy(StudyGiven given);

  const std::string& device_name() const { return device_name_; }
  const Environment& environment() const { return environment_; }

  // A failure of the kernel is part of the result. Throws InputError and MachineError.
  DeviceResult measure(Series series, std::int64_t width);

 private:
  struct Choice {
    const Implementation* implementation = nullptr;
    Configuration configuration;
    std::string why_not;
  };

  PreparedSweep setup_for(std::int64_t width) const;
  void open(std::int64_t width);
  Choice choose(Series series) const;
  Choice choose_tuned() const;
  CompileResult compile(CompileRequest request);
  CompileRequest request_for(const Choice& choice) const;
  std::string run(const Choice& choice, DeviceResult& result);

  StudyGiven given_;
  std::string device_name_;
  Environment environment_;
  std::unique_ptr<CompileProcesses> pool_;
  std::unique_ptr<CompileAhead> compiler_;
  std::unique_ptr<Evaluator> device_;
  CompileResult probe_;
  std::size_t ticket_ = 0;
  std::int64_t width_ = 0;  // for which the device is open; 0: none
  PreparedSweep setup_;
};

}  // namespace tilewright::bench
