#include "tilewright/catalog.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <random>

#include "bench/micro/bench_data.hpp"

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

// The times of this database are made up, so what is expected of other configurations must not go
// before them.
Question question_of(std::int64_t size, Require require = Require::any) {
  return {.operation = "gemm",
          .problem = {{"M", size}, {"N", size}, {"K", size}},
          .device = device(),
          .require = require};
}

// The weakest requirement under which a rung answers for its rows alone.
Require require_for(Rung rung) {
  return rung <= Rung::near_problem ? Require::device : Require::any;
}

// A problem that has no results.
Device unknown_device() {
  Device unknown = device();
  unknown.kind = DeviceKind::host;
  return unknown;
}

// The same question repeatedly. The catalog remembers its answer while the file is unchanged.
void look_up(benchmark::State& state, std::int64_t size, Rung expected) {
  const Catalog catalog(options());
  const Question question = question_of(size, require_for(expected));
  for (auto _ : state)
    if (catalog.look_up(question).rung != expected) state.SkipWithError("another rung answered");
}
BENCHMARK_CAPTURE(look_up, exact, 16 * 50, Rung::exact)->Name("catalog/text/exact");
BENCHMARK_CAPTURE(look_up, near, 16 * 50 + 4, Rung::near_problem)->Name("catalog/text/near");

// Each question is asked for the first time.
void look_up_anew(benchmark::State& state, const CatalogOptions& here, const Device& asked,
                  std::int64_t first, Rung expected) {
  const Catalog catalog(here);
  catalog.look_up(question_of(16 * 50 + 4));  // opens the database and reads what is near
  std::int64_t times = 0;
  for (auto _ : state) {
    Question question = question_of(16 * 50, require_for(expected));
    question.device = asked;
    question.problem["K"] = first + 4 * times++;
    if (catalog.look_up(question).rung != expected) state.SkipWithError("another rung answered");
  }
}

void look_up_near(benchmark::State& state) {
  look_up_anew(state, options(), device(), 16 * 50 + 8, Rung::near_problem);
}
BENCHMARK(look_up_near)
    ->Name("catalog/first_time/near")
    ->Iterations(500)
    ->Unit(benchmark::kMicrosecond);

// Rows that begin at odd addresses belong to another class, in which nothing is tuned. The portable
// configurations are held against what is expected of general ones.
void look_up_far(benchmark::State& state) {
  look_up_anew(state, options(), device(), 16 * 50 + 1, Rung::manifest_default);
}
BENCHMARK(look_up_far)
    ->Name("catalog/first_time/far")
    ->Iterations(500)
    ->Unit(benchmark::kMicrosecond);

void look_up_default(benchmark::State& state) {
  look_up_anew(state, options(), unknown_device(), 16 * 50 + 1, Rung::manifest_default);
}
BENCHMARK(look_up_default)
    ->Name("catalog/first_time/default")
    ->Iterations(500)
    ->Unit(benchmark::kMicrosecond);

// Random products on the device of the shipped results. All general configurations are judged for
// each, and its neighbours among the shipped ones are.
void look_up_random(benchmark::State& state) {
  const Catalog catalog(
      {.kernels = {template_folder()}, .shipped = {template_folder() / "../shipped_results"}});
  const Device shipped = catalog.device("gemm", "H200");
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> size(1, 4000);
  catalog.look_up({"gemm", {}, shipped});  // reads the results
  for (auto _ : state) {
    const Question question{
        "gemm", {{"M", size(random)}, {"N", size(random)}, {"K", size(random)}}, shipped};
    benchmark::DoNotOptimize(catalog.look_up(question));
  }
}
BENCHMARK(look_up_random)
    ->Name("catalog/first_time/random")
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

// Database and one look-up. The definitions are read before.
void open_database(benchmark::State& state, const CatalogOptions& here, std::int64_t size,
                   Rung expected, std::int64_t rows = 16 * 50) {
  Question question = question_of(rows, require_for(expected));
  question.problem["K"] = size;
  for (auto _ : state) {
    state.PauseTiming();
    const Catalog catalog(here);
    state.ResumeTiming();
    if (catalog.look_up(question).rung != expected) state.SkipWithError("another rung answered");
  }
}
BENCHMARK_CAPTURE(open_database, exact, options(), 16 * 50, Rung::exact)
    ->Name("catalog/cold_database/exact")
    ->Unit(benchmark::kMicrosecond);

// If TILEWRIGHT_BENCH_MILLION is set: the same on a database of a million trials, 500 for each of
// 2000 problems. Filling it takes a minute, so it is not part of the usual run.
const CatalogOptions& million() {
  static const TemporaryFolder folder;
  static const CatalogOptions made = [] {
    fill_in_bulk(folder / "million.db", 2000, 500);
    return CatalogOptions{.database = folder / "million.db", .kernels = {template_folder()}};
  }();
  return made;
}

void add_benchmarks_of_a_million() {
  const auto add = [](const char* name, auto run) {
    return benchmark::RegisterBenchmark(name, run)->Unit(benchmark::kMicrosecond);
  };
  add("million/cold_database/exact",
      [](benchmark::State& state) { open_database(state, million(), 16 * 50, Rung::exact); });
  add("million/cold_database/near", [](benchmark::State& state) {
    open_database(state, million(), 16 * 50 + 4, Rung::near_problem);
  });
  add("million/cold_database/far", [](benchmark::State& state) {
    open_database(state, million(), 16 * 50 + 1, Rung::manifest_default);
  });
  // About 1600 tuned problems are near enough, but none of them has the same class.
  add("million/cold_database/far_among_many", [](benchmark::State& state) {
    open_database(state, million(), 16 * 1000 + 1, Rung::manifest_default, 16 * 1000);
  });
  add("million/first_time/near", [](benchmark::State& state) {
    look_up_anew(state, million(), device(), 16 * 50 + 8, Rung::near_problem);
  })->Iterations(200);
  add("million/first_time/far", [](benchmark::State& state) {
    look_up_anew(state, million(), device(), 16 * 50 + 1, Rung::manifest_default);
  })->Iterations(200);
  add("million/finish_sweep",
      [](benchmark::State& state) {
        Store store(million().database);
        for (auto _ : state) fill(store, 16 * 50, 1, 500);
      })
      ->Iterations(3)
      ->UseRealTime();
}

const bool kHasMillion = [] {
  const bool is_wanted = std::getenv("TILEWRIGHT_BENCH_MILLION") != nullptr;
  if (is_wanted) add_benchmarks_of_a_million();
  return is_wanted;
}();

}  // namespace
}  // namespace tilewright::bench
