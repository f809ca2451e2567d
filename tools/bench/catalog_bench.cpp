// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/catalog.hpp"

#include <benchmark/benchmark.h>

#include "tools/bench/bench_data.hpp"

namespace tilewright::bench {
namespace {

constexpr int kSweeps = 200;
constexpr int kTrialsEach = 25;

// One database for all of these.
const std::filesystem::path& filled_database() {
  static const TemporaryFolder folder;
  static const std::filesystem::path file = [] {
    Store store(folder / "catalog.db");
    fill(store, 16, kSweeps, kTrialsEach);
    return folder / "catalog.db";
  }();
  return file;
}

CatalogOptions options() {
  return {.database = filled_database(), .kernels = {template_folder()}};
}

void look_up(benchmark::State& state, std::int64_t size, Rung expected) {
  const Catalog catalog(options());
  const Question question{"gemm", square(size).values, device(), {}};
  for (auto _ : state)
    if (catalog.look_up(question).rung != expected) state.SkipWithError("another rung answered");
}
BENCHMARK_CAPTURE(look_up, exact, 16 * 50, Rung::exact)->Name("catalog/exact");
BENCHMARK_CAPTURE(look_up, default, 17, Rung::manifest_default)->Name("catalog/default");

// Definitions, database and one look-up.
void open_and_look_up(benchmark::State& state) {
  const CatalogOptions here = options();
  const Question question{"gemm", square(16 * 50).values, device(), {}};
  for (auto _ : state) benchmark::DoNotOptimize(Catalog(here).look_up(question));
}
BENCHMARK(open_and_look_up)->Name("catalog/open_and_exact")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilewright::bench
