#include "definition/expression/expression.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/bench_data.hpp"
#include "definition/problem.hpp"

namespace tilewright::bench {
namespace {

constexpr const char* kText =
    "STAGING == 'direct' || 4 * (BLOCK_Y * ROWS + 2) * (BLOCK_X + 2 + PADDING) <= 49152";

void parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Expression::parse(kText));
}
BENCHMARK(parse)->Name("expression/parse");

void evaluate_one(benchmark::State& state) {
  const Settings settings = {
      {"STAGING", "shared"}, {"BLOCK_X", 32}, {"BLOCK_Y", 8}, {"ROWS", 4}, {"PADDING", 1}};
  const Expression expression = Expression::parse(kText);
  const Scope scope = scope_over({&settings});
  for (auto _ : state) benchmark::DoNotOptimize(expression.evaluate(scope));
}
BENCHMARK(evaluate_one)->Name("expression/evaluate");

// All constraints of gemm/tiled, as a look-up evaluates them for one configuration.
void evaluate_constraints(benchmark::State& state) {
  const Implementation& tiled = templates().family("gemm").implementation("tiled");
  const Problem problem = square(1024);
  const Configuration configuration = default_configuration(tiled);
  const Device here = device();
  const Scope scope = full_scope(problem, configuration, here);
  for (auto _ : state)
    for (const Constraint& constraint : tiled.constraints)
      benchmark::DoNotOptimize(constraint.require.is_true(scope));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tiled.constraints.size()));
}
BENCHMARK(evaluate_constraints)->Name("expression/constraints_of_gemm_tiled");

}  // namespace
}  // namespace tilewright::bench
