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

Question question_of(std::int64_t size) {
  return {"gemm", {{"M", size}, {"N", size}, {"K", size}}, device()};
}

// By the text of the question, as often as it is asked: remembered while the file is unchanged.
void look_up(benchmark::State& state, std::int64_t size, Rung expected) {
  const Catalog catalog(options());
  const Question question = question_of(size);
  for (auto _ : state)
    if (catalog.look_up(question).rung != expected) state.SkipWithError("another rung answered");
}
BENCHMARK_CAPTURE(look_up, exact, 16 * 50, Rung::exact)->Name("catalog/text/exact");
BENCHMARK_CAPTURE(look_up, near, 16 * 50 + 4, Rung::near_problem)->Name("catalog/text/near");

// Each question for the first time.
void look_up_anew(benchmark::State& state, std::int64_t first, Rung expected) {
  const Catalog catalog(options());
  catalog.look_up(question_of(16 * 50 + 4));  // opens the database, learns what is near
  std::int64_t times = 0;
  for (auto _ : state) {
    Question question = question_of(16 * 50);
    question.problem["K"] = first + 4 * times++;
    if (catalog.look_up(question).rung != expected) state.SkipWithError("another rung answered");
  }
}
BENCHMARK_CAPTURE(look_up_anew, near, 16 * 50 + 8, Rung::near_problem)
    ->Name("catalog/first_time/near")
    ->Iterations(500)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(look_up_anew, default, 16 * 50 + 1, Rung::manifest_default)
    ->Name("catalog/first_time/default")
    ->Iterations(500)
    ->Unit(benchmark::kMicrosecond);

const Handle& handle() {
  static const Handle one = Catalog(options()).resolve({"gemm", {}, device()}, {"M", "N", "K"});
  return one;
}

void ask_handle(benchmark::State& state) {
  const Handle& gemm = handle();
  std::int64_t n = 0;
  for (auto _ : state) {
    n = (n + 16) & 1023;  // 64 sizes in turn
    benchmark::DoNotOptimize(gemm.best({n + 16, n + 16, n + 16}).median_us);
  }
}
BENCHMARK(ask_handle)->Name("catalog/handle")->ThreadRange(1, 16)->UseRealTime();

// Definitions, database and one look-up.
void open_and_look_up(benchmark::State& state) {
  const CatalogOptions here = options();
  const Question question = question_of(16 * 50);
  for (auto _ : state) benchmark::DoNotOptimize(Catalog(here).look_up(question));
}
BENCHMARK(open_and_look_up)->Name("catalog/open_and_exact")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilewright::bench
