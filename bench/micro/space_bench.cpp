#include "tuner/space/space.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/micro/bench_data.hpp"
#include "definition/problem.hpp"
#include "tuner/space/bindings.hpp"
#include "tuner/space/formulas.hpp"
#include "tuner/space/rules.hpp"
#include "tuner/sweep/candidates.hpp"

// What building a space costs, compared with brute force. Items are combinations.
namespace tilewright::bench {
namespace {

constexpr benchmark::TimeUnit kMs = benchmark::kMillisecond;

// A family with one implementation on an H200.
struct Input {
  Family family;
  Implementation implementation;
  Device here = device();
  Problem problem;

  Space build() const { return build_space(family.operation, implementation, problem, here); }
};

Input peer(const std::string& name) {
  Input input;
  input.family = load_manifest(space_folder() / (name + ".toml"), templates());
  input.implementation = input.family.implementations.front();
  input.problem = make_problem(input.family.operation, Settings{}, input.here);
  return input;
}

Input own(const std::string& operation, const std::string& implementation) {
  Input input;
  input.family = templates().family(operation);
  input.implementation = input.family.implementation(implementation);
  input.problem = make_problem(input.family.operation, Settings{}, input.here);
  return input;
}

void build(benchmark::State& state, const Input& input, std::int64_t legal) {
  Space space;
  for (auto _ : state) {
    space = input.build();
    benchmark::DoNotOptimize(space);
  }
  const auto found = static_cast<std::int64_t>(space.legal.size());
  if (legal > 0 && found != legal) state.SkipWithError("another number of legal configurations");
  state.SetItemsProcessed(state.iterations() * space.combinations);
  state.counters["legal"] = static_cast<double>(found);
  const std::size_t bytes = space.legal.codes().capacity() * sizeof(Code);
  state.counters["bytes_each"] = static_cast<double>(bytes) / static_cast<double>(found);
}

// Checks every combination against every rule until one is broken; only counts them.
std::int64_t count_by_brute_force(const Input& input) {
  const Bindings bindings(input.implementation, input.problem, input.here);
  Formulas formulas(input.implementation, bindings);
  std::vector<FormulaId> rules;
  for (const Rule& rule : make_rules(input.implementation, std::nullopt, bindings))
    rules.push_back(formulas.add(rule.condition.root()));
  const auto& domains = formulas.domains();
  std::vector<std::size_t> places(domains.size(), 0);
  std::vector<std::int64_t> values;
  for (const auto& domain : domains) values.push_back(domain.front());
  for (std::int64_t legal = 0;;) {
    legal += std::all_of(rules.begin(), rules.end(), [&](FormulaId rule) {
      std::int64_t result = 0;
      return formulas.evaluate(rule, values, result) && result != 0;
    });
    std::size_t i = domains.size();
    for (; i > 0; --i) {
      std::size_t& place = places[i - 1];
      place = place + 1 < domains[i - 1].size() ? place + 1 : 0;
      values[i - 1] = domains[i - 1][place];
      if (place > 0) break;
    }
    if (i == 0) return legal;
  }
}

void brute_force(benchmark::State& state, const std::string& name, std::int64_t legal) {
  const Input input = peer(name);
  std::int64_t found = 0;
  for (auto _ : state) found = count_by_brute_force(input);
  if (found != legal) state.SkipWithError("another number of legal configurations");
  state.counters["legal"] = static_cast<double>(found);
}

// The neighbours of random configurations of a space.
template <class Find>
void find_neighbours(benchmark::State& state, Find find) {
  const Input input = peer("hotspot");
  Candidates candidates;
  candidates.add(input.implementation, input.build().legal);
  const SearchGrid grid = candidates.grid();
  const Neighbours neighbours(grid);
  std::size_t candidate = 0;
  std::size_t found = 0;
  for (auto _ : state) {
    candidate = (candidate * 6364136223846793005 + 1442695040888963407) % grid.size();
    found += find(neighbours, candidate);
  }
  state.counters["found"] =
      benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}

void build_peer(benchmark::State& state, const std::string& name, std::int64_t legal) {
  build(state, peer(name), legal);
}
BENCHMARK_CAPTURE(build_peer, xgemm, "xgemm", 17956)->Name("space/xgemm")->Unit(kMs);
BENCHMARK_CAPTURE(build_peer, convolution, "convolution", 1867776)
    ->Name("space/convolution")
    ->Unit(kMs);
BENCHMARK_CAPTURE(build_peer, hotspot, "hotspot", 349853)->Name("space/hotspot")->Unit(kMs);

BENCHMARK_CAPTURE(brute_force, xgemm, "xgemm", 17956)->Name("brute_force/xgemm")->Unit(kMs);
BENCHMARK_CAPTURE(brute_force, convolution, "convolution", 1867776)
    ->Name("brute_force/convolution")
    ->Unit(kMs);
BENCHMARK_CAPTURE(brute_force, hotspot, "hotspot", 349853)->Name("brute_force/hotspot")->Unit(kMs);

void build_own(benchmark::State& state, const std::string& operation,
               const std::string& implementation) {
  build(state, own(operation, implementation), 0);
}
BENCHMARK_CAPTURE(build_own, gemm, "gemm", "tiled")->Name("space/gemm_tiled")->Unit(kMs);
BENCHMARK_CAPTURE(build_own, conv1d, "conv1d", "halo")->Name("space/conv1d_halo")->Unit(kMs);
BENCHMARK_CAPTURE(build_own, conv2d, "conv2d", "halo")->Name("space/conv2d_halo")->Unit(kMs);

// All configurations with one parameter changed.
void one_parameter(benchmark::State& state) {
  find_neighbours(state, [](const Neighbours& neighbours, std::size_t candidate) {
    return neighbours.around(candidate).size();
  });
}
BENCHMARK(one_parameter)->Name("neighbours/hotspot/one_parameter")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilewright::bench
