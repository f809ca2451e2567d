#pragma once

#include <cstddef>
#include <string>

#include "campaign/job/job_plan.hpp"
#include "campaign/target.hpp"
#include "tools/input/sweep_options.hpp"

namespace tilewright::tools {

// How a job is planned and compiled for.
struct JobCompilesGiven {
  SearchGiven search;
  Measuring measuring;
  std::string architecture;  // --arch
};

// What was compiled for a job before it begins.
struct JobCompiles {
  std::size_t compiled = 0;
  std::size_t from_cache = 0;
  std::size_t failed = 0;  // of both
  double seconds = 0;
  std::string cache;  // the folder
};

// Compiles what the sweeps of a job compile first, into the cache of compiled code: the references,
// and at most `most` configurations of each problem, which are defaults, seeds, what shipped
// results suggest, and then what the strategy proposes. Throws MachineError without a compiler.
JobCompiles compile_ahead(const JobCompilesGiven& given, const JobPlan& plan, const Target& target,
                          std::size_t most);

}  // namespace tilewright::tools
