#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::tools {

struct PlanRequest {
  Target target;
  Problem problem;
  std::string architecture;
  Device device;
  std::optional<Expression> where;
  ResourceFloor floor;
  std::uint64_t seed = 1;
  std::size_t compile = 0;  // how many to compile of each implementation
};

struct Spread {
  std::int64_t minimum = 0;
  std::int64_t median = 0;
  std::int64_t maximum = 0;
};

// What compiling part of a space showed.
struct CompileSurvey {
  std::size_t chosen = 0;
  std::size_t compiled = 0;  // without an error
  std::size_t from_cache = 0;
  std::size_t runnable = 0;  // compiled, and breaks no resource rule
  std::size_t spilling = 0;
  std::vector<Cut> cuts;  // resource rules and compile errors
  std::optional<Spread> registers;
  std::optional<Spread> blocks_per_sm;
  double seconds = 0;
};

struct PlanPart {
  const Implementation* implementation = nullptr;
  std::string unsupported;  // why it cannot run on the device; empty: it can
  Space space;
  std::optional<CompileSurvey> survey;
};

// The space without compiling anything.
PlanPart plan_space(const PlanRequest& request, const Implementation& implementation);

// How many of `legal` configurations are compiled.
std::size_t compile_count(const PlanRequest& request, std::size_t legal);

// Compiles that many configurations, a seeded choice if they are not all, and applies the resource
// rules.
CompileSurvey survey(const PlanRequest& request, const PlanPart& part, CompileQueue& compilers);

}  // namespace tilewright::tools
