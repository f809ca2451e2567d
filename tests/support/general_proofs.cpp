#include "tests/support/general_proofs.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "db/ladder/question.hpp"
#include "definition/general.hpp"
#include "definition/problem.hpp"

namespace tilewright::test {
namespace {

using Random = std::mt19937_64;
using Assignments = std::vector<std::string>;

std::int64_t one_to(std::int64_t most, Random& random) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
}

constexpr std::size_t kMostDrawn = 2000;

std::string given(const char* name, std::int64_t value) {
  return name + ('=' + std::to_string(value));
}

// Rows with gaps or without, few rows, few columns, all sizes multiples of 4.
Assignments random_product(Random& random) {
  const std::int64_t step = random() % 3 == 0 ? 4 : 1;
  const auto size = [&](std::int64_t most) { return step * one_to(most / step, random); };
  const auto gap = [&] { return step * static_cast<std::int64_t>(random() % 3); };
  const std::uint64_t thin = random() % 3;
  const std::int64_t m = size(thin == 1 ? 12 : 90);
  const std::int64_t n = size(thin == 2 ? 12 : 90);
  const std::int64_t k = size(90);
  const bool transpose_a = random() % 2 == 0;
  const bool transpose_b = random() % 2 == 0;
  return {given("M", m),
          given("N", n),
          given("K", k),
          given("batch", one_to(3, random)),
          given("lda", (transpose_a ? m : k) + gap()),
          given("ldb", (transpose_b ? k : n) + gap()),
          given("ldc", n + gap()),
          std::string("transpose_a=") + (transpose_a ? "yes" : "no"),
          std::string("transpose_b=") + (transpose_b ? "yes" : "no")};
}

std::string random_boundary(const Operation& operation, Random& random) {
  const auto choice = std::ranges::find(operation.choices, "boundary", &Choice::name);
  return "boundary=" + choice->labels[random() % choice->labels.size()];
}

Assignments random_volume(const Operation& operation, Random& random) {
  return {given("width", one_to(90, random)),        given("height", one_to(30, random)),
          given("depth", one_to(20, random)),        given("filter_width", one_to(9, random)),
          given("filter_height", one_to(9, random)), given("filter_depth", one_to(9, random)),
          given("channels", one_to(2, random)),      given("batch", one_to(2, random)),
          random_boundary(operation, random)};
}

Assignments random_steps(const Operation& operation, Random& random) {
  return {given("width", one_to(90, random)), given("height", one_to(40, random)),
          given("depth", one_to(20, random)), given("radius", one_to(4, random)),
          given("steps", one_to(5, random)),  given("batch", one_to(2, random)),
          random_boundary(operation, random)};
}

// An axis of a layer: "width" is along "x". Its output is not empty.
void add_axis(Assignments& layer, const std::string& length, const std::string& axis,
              std::int64_t most, Random& random) {
  const std::int64_t taps = one_to(5, random);
  const std::int64_t dilation = one_to(3, random);
  const std::int64_t padding = one_to(5, random) - 1;
  const std::int64_t reach = dilation * (taps - 1);
  const auto add = [&](const std::string& name, std::int64_t value) {
    layer.push_back(given(name.c_str(), value));
  };
  add(length, std::max<std::int64_t>(1, reach - 2 * padding) + one_to(most, random));
  add("filter_" + length, taps);
  add("stride_" + axis, one_to(3, random));
  add("dilation_" + axis, dilation);
  add("padding_" + axis, padding);
}

// Channels that are multiples of 8 or not, in one group or some, or each in one of its own.
Assignments random_layer(const Operation& operation, Random& random) {
  const bool is_depthwise = random() % 4 == 0;
  const std::int64_t step = random() % 2 == 0 ? 8 : 1;
  const std::int64_t groups = is_depthwise        ? step * one_to(40 / step, random)
                              : random() % 2 == 0 ? 1
                                                  : one_to(6, random);
  const auto channels = [&] {
    return is_depthwise ? groups : groups * step * one_to(40 / step / groups + 1, random);
  };
  Assignments layer = {given("batch", one_to(3, random)), given("groups", groups),
                       given("channels_in", channels()), given("channels_out", channels()),
                       random_boundary(operation, random)};
  add_axis(layer, "width", "x", 30, random);
  add_axis(layer, "height", "y", 12, random);
  if (random() % 4 == 0) add_axis(layer, "depth", "z", 3, random);
  return layer;
}

Assignments random_problem(const Operation& operation, Random& random) {
  if (operation.name == "gemm") return random_product(random);
  if (operation.name == "conv_layer") return random_layer(operation, random);
  if (operation.name == "conv1d")
    return {given("length", one_to(6000, random)), given("taps", one_to(40, random)),
            given("batch", one_to(3, random)), random_boundary(operation, random)};
  if (operation.name == "conv3d") return random_volume(operation, random);
  if (operation.name == "stencil3d") return random_steps(operation, random);
  return {given("width", one_to(140, random)),       given("height", one_to(70, random)),
          given("filter_width", one_to(13, random)), given("filter_height", one_to(13, random)),
          given("channels", one_to(2, random)),      given("batch", one_to(2, random)),
          random_boundary(operation, random)};
}

struct Served {
  double cycles = std::numeric_limits<double>::infinity();
  const Implementation* implementation = nullptr;
  Configuration configuration = {};
};

Served served(const Family& family, const Problem& problem, const Device& device) {
  Served best;
  for (const Implementation& one : family.implementations) {
    const auto general = general_of(one);
    GeneralConfigurations::Judge judge(*general, problem, device);
    for (std::size_t i = 0; i < judge.count(); ++i) {
      if (!judge.fits(i) || !(judge.cycles(i) < best.cycles)) continue;
      const auto configuration = judge.configuration(i);
      if (configuration && fits(one, *configuration, problem, device))
        best = {judge.cycles(i), &one, *configuration};
    }
  }
  return best;
}

}  // namespace

std::map<std::string, std::size_t> prove_served(
    Family family, const std::function<ProofBench()>& bench, const ServedProofs& count,
    const std::vector<std::vector<std::string>>& types) {
  family.operation.checks.clear();
  std::map<std::string, std::unique_ptr<ProofRunner>> runners;
  const Device device = bench().device;
  Random random(count.seed);
  for (std::size_t i = 0; i < count.problems; ++i) {
    Assignments assignments = random_problem(family.operation, random);
    const Assignments& type = types[i % types.size()];
    assignments.insert(assignments.end(), type.begin(), type.end());
    const Problem problem = make_problem(family.operation, assignments, device);
    const Served best = served(family, problem, device);
    EXPECT_NE(best.implementation, nullptr) << tilewright::to_text(problem.values);
    if (best.implementation == nullptr) continue;
    auto& runner = runners[best.implementation->name];
    if (!runner) runner = std::make_unique<ProofRunner>(family, *best.implementation, bench());
    runner->open(assignments);
    runner->prove(best.configuration);
  }
  std::map<std::string, std::size_t> proven;
  for (const auto& [name, runner] : runners) proven[name] = runner->proven();
  return proven;
}

void prove_general(const Family& family, const std::string& implementation, ProofBench bench,
                   const GeneralProofs& count) {
  const Implementation& one = family.implementation(implementation);
  const Device device = bench.device;
  ProofRunner runner(family, one, std::move(bench));
  Random random(kGeneralSeed);
  std::vector<std::size_t> chosen(general_configurations(one).size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::shuffle(chosen.begin() + 1, chosen.end(), random);
  chosen.resize(std::min(chosen.size(), count.configurations));
  std::size_t fitting = 0;
  for (std::size_t drawn = 0; fitting < count.problems && drawn < kMostDrawn; ++drawn) {
    Assignments assignments = random_problem(family.operation, random);
    assignments.insert(assignments.end(), count.given.begin(), count.given.end());
    const Problem problem = make_problem(family.operation, assignments, device);
    GeneralConfigurations::Judge judge(*one.prepared_general, problem, device);
    std::vector<std::size_t> fit = chosen;
    std::erase_if(fit, [&](std::size_t index) { return !judge.fits(index); });
    if (fit.empty()) continue;
    ++fitting;
    runner.open(assignments);
    for (const std::size_t index : fit) runner.prove(judge.configuration(index).value());
  }
  EXPECT_EQ(fitting, count.problems);
  EXPECT_GT(runner.proven(), 0U);
}

}  // namespace tilewright::test
