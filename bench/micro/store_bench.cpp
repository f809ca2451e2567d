#include "db/store/store.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/bench_data.hpp"

namespace tilewright::bench {
namespace {

// As a sweep does it: one transaction for each trial, on disk before the call returns.
void add_trial(benchmark::State& state) {
  const TemporaryFolder folder;
  Store store(folder / "store.db");
  const SweepRecord sweep = store.begin_sweep(sweep_of(1024), {}, Store::Start::fresh);
  std::int64_t index = 0;
  for (auto _ : state) store.add_trial(sweep.id, trial(index++));
  state.SetItemsProcessed(index);
}
BENCHMARK(add_trial)->Name("store/add_trial")->UseRealTime()->Unit(benchmark::kMicrosecond);

void add_many(benchmark::State& state) {
  const TemporaryFolder folder;
  Store store(folder / "store.db");
  const SweepRecord sweep = store.begin_sweep(sweep_of(1024), {}, Store::Start::fresh);
  std::int64_t index = 0;
  for (auto _ : state) {
    std::vector<Trial> trials;
    for (std::int64_t i = 0; i < state.range(0); ++i) trials.push_back(trial(index++));
    store.add_trials(sweep.id, trials);
  }
  state.SetItemsProcessed(index);
}
BENCHMARK(add_many)
    ->Name("store/add_trials")
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

// Deriving the winners of a sweep when it ends.
void finish(benchmark::State& state) {
  const TemporaryFolder folder;
  Store store(folder / "store.db");
  for (auto _ : state) {
    state.PauseTiming();
    const SweepRecord sweep = store.begin_sweep(sweep_of(1024), {}, Store::Start::fresh);
    std::vector<Trial> trials;
    for (std::int64_t i = 0; i < state.range(0); ++i) trials.push_back(trial(i));
    store.add_trials(sweep.id, trials);
    state.ResumeTiming();
    store.finish_sweep(sweep.id, "{}");
  }
}
BENCHMARK(finish)
    ->Name("store/finish_sweep")
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilewright::bench
