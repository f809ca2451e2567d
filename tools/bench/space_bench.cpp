// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/space/space.hpp"

#include <benchmark/benchmark.h>

#include "tools/bench/bench_data.hpp"
#include "tuner/definition/problem.hpp"

namespace tilewright::bench {
namespace {

// Items are combinations of the space, most of which are cut off in passing.
void enumerate(benchmark::State& state, const std::string& operation,
               const std::string& implementation) {
  const Family& family = templates().family(operation);
  const Implementation& one = family.implementation(implementation);
  const Device here = device();
  const Problem problem = make_problem(family.operation, Settings{}, here);
  std::int64_t combinations = 0;
  std::size_t legal = 0;
  for (auto _ : state) {
    const Space space = build_space(family.operation, one, problem, here);
    combinations += space.combinations;
    legal = space.legal.size();
  }
  state.SetItemsProcessed(combinations);
  state.counters["legal"] = static_cast<double>(legal);
}
BENCHMARK_CAPTURE(enumerate, gemm_tiled, "gemm", "tiled")
    ->Name("space/gemm_tiled")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(enumerate, conv1d_halo, "conv1d", "halo")
    ->Name("space/conv1d_halo")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright::bench
