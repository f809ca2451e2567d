#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/input/command.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/sweep/compile_ahead.hpp"

namespace tilewright::bench {

// The parts of tilewright-trust. Each reads its arguments, prints, and returns an exit status: 0,
// or 1 if a measurement is not as it should be. Each throws InputError and MachineError.

tools::Command spin_part();
tools::Command naive_part();
tools::Command isolation_part();
tools::Command winners_part();

// Options that all parts take.
struct TrustGiven : tools::GivenWords {
  tools::Measuring measuring;
  tools::SearchGiven search;
  std::string json;  // --json FILE

  void declare(tools::Options& all);
};

// The sweep of the words.
PreparedSweep setup_of(const TrustGiven& given);

// A sweep's evaluator in a process of its own, and in this process.
std::unique_ptr<Evaluator> worker_session(const Device& device);
std::unique_ptr<Evaluator> local_session(const Device& device);

// The compile processes and the cache of a sweep.
class TrustCompiler {
 public:
  TrustCompiler(const tools::Measuring& measuring, const Device& device)
      : pool_(tools::worker_options(measuring), device.kind), ahead_(pool_) {}

  CompileAhead& ahead() { return ahead_; }
  CompileProcesses& pool() { return pool_; }

 private:
  CompileProcesses pool_;
  CompileAhead ahead_;
};

// Writes to --json FILE, if that option was given.
void write_json(const TrustGiven& given, const nlohmann::json& json);

}  // namespace tilewright::bench
