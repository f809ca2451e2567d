#include "tuner/search/hints.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

constexpr std::size_t kHintTrees = 32;
constexpr float kTrust = 5;  // the first weight counts as many outcomes

}  // namespace

Hints::Hints(const std::vector<PriorTrial>& priors, const Features& features)
    : features_(features) {
  if (priors.empty()) return;
  std::vector<Known> known;
  for (const PriorTrial& prior : priors) {
    known.push_back({prior.candidate, std::nullopt});
    if (prior.ratio) known.back().cost = std::log(*prior.ratio);
  }
  if (std::ranges::none_of(known, [](const Known& item) { return item.cost.has_value(); })) return;
  const Examples examples = examples_of(known, features);
  std::mt19937_64 random(priors.size());
  forest_ = Forest::fit(examples, {.trees = kHintTrees}, random);
  float sum = 0;
  float squares = 0;
  for (const float target : examples.targets) {
    sum += target;
    squares += target * target;
  }
  const auto count = static_cast<float>(examples.size());
  variance_ = squares / count - sum * sum / (count * count);
}

// The slope of outcomes over predictions, shrunk towards 1.
void Hints::weigh(const std::vector<Known>& known) {
  if (forest_.trees() == 0) return;
  float count = 0;
  float mean = 0;
  float mean_cost = 0;
  float together = kTrust * variance_;
  float squares = kTrust * variance_;
  for (const Known& item : known) {
    if (!item.cost) continue;
    count += 1;
    const float off = raw(item.candidate) - mean;
    const float off_cost = static_cast<float>(*item.cost) - mean_cost;
    mean += off / count;
    mean_cost += off_cost / count;
    const float left = (count - 1) / count;
    together += left * off * off_cost;
    squares += left * off * off;
  }
  weight_ = squares <= 0 ? 0 : std::clamp(together / squares, 0.0F, 1.0F);
}

float Hints::of(std::size_t candidate) const {
  return forest_.trees() == 0 ? 0 : weight_ * raw(candidate);
}

float Hints::raw(std::size_t candidate) const {
  std::vector<float> row(features_.width());
  features_.write(candidate, row);
  return forest_.predict(row).mean;
}

}  // namespace tilewright
