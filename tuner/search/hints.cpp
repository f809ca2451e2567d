#include "tuner/search/hints.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tilewright {
namespace {

constexpr std::size_t kTrees = 32;
constexpr float kTrust = 5;  // the first weights count as many outcomes

struct Spread {
  float mean = 0;
  float variance = 0;
};

Spread spread_of(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(values.size());
  const double mean = sum / count;
  return {static_cast<float>(mean),
          static_cast<float>(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace

Hints::Hints(const std::vector<PriorTrial>& priors, const std::vector<double>& expected,
             const Features& features)
    : features_(features), expected_(expected) {
  add_priors(priors);
  add_expected();
  for (Source& source : sources_) {
    if (source.variance <= 0) continue;
    source.weight = source.first_weight = 1;
    break;
  }
}

void Hints::add_priors(const std::vector<PriorTrial>& priors) {
  std::vector<Known> known;
  for (const PriorTrial& prior : priors) {
    known.push_back({prior.candidate, std::nullopt});
    if (prior.ratio) known.back().cost = std::log(*prior.ratio);
  }
  if (std::ranges::none_of(known, [](const Known& item) { return item.cost.has_value(); })) return;
  const Examples examples = examples_of(known, features_);
  std::mt19937_64 random(priors.size());
  forest_ = Forest::fit(examples, {.trees = kTrees}, random);
  sources_[kPriors].variance = spread_of(examples.targets).variance;
}

void Hints::add_expected() {
  std::vector<float> logs;
  for (const double cost : expected_)
    if (cost > 0) logs.push_back(static_cast<float>(std::log(cost)));
  if (logs.empty()) return;
  const Spread spread = spread_of(logs);
  sources_[kExpected].variance = spread.variance;
  usual_expected_ = spread.mean;
}

// The slopes of outcomes over predictions, shrunk towards the first weights (ridge regression).
void Hints::weigh(const std::vector<Known>& known) {
  std::vector<std::array<double, 3>> rows;  // what each source predicts, and the outcome
  std::array<double, 3> sums{};
  for (const Known& item : known) {
    if (!item.cost) continue;
    const auto predicted = raw(item.candidate);
    rows.push_back({predicted[kPriors], predicted[kExpected], *item.cost});
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rows.back()[i];
  }
  double squares[2][2] = {};
  double together[2] = {};
  for (std::array<double, 3>& row : rows) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      row[i] -= sums[i] / static_cast<double>(rows.size());
    for (std::size_t i : {kPriors, kExpected}) {
      together[i] += row[i] * row[2];
      for (std::size_t j : {kPriors, kExpected}) squares[i][j] += row[i] * row[j];
    }
  }
  for (std::size_t i : {kPriors, kExpected}) {
    const Source& source = sources_[i];
    const double trust = source.variance > 0 ? kTrust * source.variance : 1;
    squares[i][i] += trust;
    together[i] += trust * source.first_weight;
  }
  const double determinant = squares[0][0] * squares[1][1] - squares[0][1] * squares[1][0];
  for (std::size_t i : {kPriors, kExpected}) {
    const std::size_t other = 1 - i;
    const double slope =
        (together[i] * squares[other][other] - together[other] * squares[i][other]) / determinant;
    sources_[i].weight =
        sources_[i].variance > 0 ? static_cast<float>(std::clamp(slope, 0.0, 1.0)) : 0;
  }
}

float Hints::of(std::size_t candidate) const {
  if (sources_[kPriors].weight <= 0 && sources_[kExpected].weight <= 0) return 0;
  const auto predicted = raw(candidate);
  return sources_[kPriors].weight * predicted[kPriors] +
         sources_[kExpected].weight * predicted[kExpected];
}

std::array<float, 2> Hints::raw(std::size_t candidate) const {
  std::array<float, 2> predicted{};
  if (sources_[kPriors].variance > 0) {
    std::vector<float> row(features_.width());
    features_.write(candidate, row);
    predicted[kPriors] = forest_.predict(row).mean;
  }
  if (sources_[kExpected].variance > 0 && expected_[candidate] > 0)
    predicted[kExpected] = static_cast<float>(std::log(expected_[candidate])) - usual_expected_;
  return predicted;
}

}  // namespace tilewright
