// The exported header, which the build writes from shipped_results.
#include <benchmark/benchmark.h>

#include "shipped_best.hpp"

namespace tilewright::bench {
namespace {

namespace best = tilewright_best;

// 64 sizes in turn, each a multiple of `step`.
void look_up_gemm(benchmark::State& state, long long first, long long step, best::Rung expected) {
  const best::Device& device = *best::find_device("NVIDIA H200");
  best::gemm::Problem problem;
  long long i = 0;
  for (auto _ : state) {
    i = (i + 1) & 63;
    problem.M = problem.N = problem.K = first + step * i;
    const best::Answer answer = best::gemm::look_up(problem, device);
    benchmark::DoNotOptimize(answer.values);
    if (answer.rung != expected) state.SkipWithError("another rung answered");
  }
}
BENCHMARK_CAPTURE(look_up_gemm, exact, 4096, 0, best::Rung::exact)->Name("header/exact");
BENCHMARK_CAPTURE(look_up_gemm, near, 8196, 4, best::Rung::near_problem)->Name("header/near");
// Far from all that is tuned in their class, of rows that begin at odd addresses.
BENCHMARK_CAPTURE(look_up_gemm, usual, 20001, 4, best::Rung::manifest_default)
    ->Name("header/default");

}  // namespace
}  // namespace tilewright::bench
