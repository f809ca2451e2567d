#pragma once

#include <string>
#include <vector>

#include "campaign/device_kinds.hpp"
#include "campaign/prepared_sweep.hpp"
#include "db/store/store.hpp"
#include "definition/definition.hpp"
#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright::tools {

// The options that say what is searched for and how. A job fixes them.
struct SearchGiven {
  SearchOptions options;  // without `where` and `objective`, which depend on the target
  std::string where;      // --where
  std::string objective;  // --objective
  std::vector<GivenOption> as_written;

  void declare(Options& all);
  // Parts of them.
  void declare_budget(Options& all, const std::string& about);
  void declare_filters(Options& all);  // --occupancy-floor, --max-spill, --where and --seed
  void declare_where(Options& all);
};
// What the values of --policy mean: robust, cold and warm.
inline const std::vector<CachePolicy> kCachePolicies = {CachePolicy::robust, CachePolicy::cold,
                                                        CachePolicy::warm};

// The options of commands that sweep.
struct SweepGiven {
  SearchGiven search;
  Measuring measuring;
  Kinds kinds = Kinds::one;                   // --each-kind
  Store::Start start = Store::Start::resume;  // --fresh, --retry
  bool is_quiet = false;                      // --quiet: only the winner is printed
  bool is_strict = false;                     // --strict
  bool is_of_job = false;                     // it takes part in a job

  void declare_fresh(Options& all);
  void declare_run(Options& all);  // how a sweep of any kind runs and what it prints
};

// How to search and measure. Refuses what is known to be bad before the device is known. Throws
// InputError.
SearchOptions read_search(const SearchGiven& given, const Target& target);

// Reads and checks everything that decides a sweep. Writes nothing. Throws InputError for bad
// input, and MachineError if there is no compiler.
PreparedSweep prepare_sweep(const SearchGiven& given, Target target, const DeviceReport& device);

// The problems that one command sweeps.
inline constexpr std::size_t kMostProblems = 10'000;

// How long a call or a sweep takes grows with this. A byte costs as much as 20 operations.
double work_of(const Operation& operation, const Problem& problem, const Device& device);

// What it is worth to tune this: how often it was asked for, times the work of a call.
double value_of(const Wanted& wanted, const Operation& operation);

}  // namespace tilewright::tools
