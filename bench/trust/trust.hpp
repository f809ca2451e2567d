#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/input/options.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/sweep/compile_ahead.hpp"

namespace tilewright::bench {

// The parts of tilewright-trust. Each reads its arguments, prints, and returns an exit status: 0,
// or 1 if a measurement is not as it should be. Each throws InputError and MachineError.

std::vector<tools::OptionSpec> spin_options();
int run_spin(const tools::Arguments& arguments);

std::vector<tools::OptionSpec> naive_options();
int run_naive(const tools::Arguments& arguments);

std::vector<tools::OptionSpec> isolation_options();
int run_isolation(const tools::Arguments& arguments);

std::vector<tools::OptionSpec> winners_options();
int run_winners(const tools::Arguments& arguments);

// A sweep's evaluator in a process of its own, and in this process.
std::unique_ptr<Evaluator> worker_session(const Device& device);
std::unique_ptr<Evaluator> local_session(const Device& device);

// The compile processes and the cache of a sweep.
class TrustCompiler {
 public:
  TrustCompiler(const tools::Arguments& arguments, const Device& device)
      : pool_(tools::worker_options(arguments), device.kind), ahead_(pool_) {}

  CompileAhead& ahead() { return ahead_; }
  CompileProcesses& pool() { return pool_; }

 private:
  CompileProcesses pool_;
  CompileAhead ahead_;
};

// Options that all parts take.
std::vector<tools::OptionSpec> with_common(std::vector<tools::OptionSpec> options);

// Writes to --json FILE, if that option was given.
void write_json(const tools::Arguments& arguments, const nlohmann::json& json);

}  // namespace tilewright::bench
