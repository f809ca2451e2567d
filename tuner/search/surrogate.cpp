#include "tuner/search/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tilewright {
namespace {

constexpr int kFirstSteps = 3;         // times the steps of a later lesson
constexpr float kLeastChance = 0.02F;  // least predicted chance that a candidate runs

bool has_failed(const Known& known) {
  return !known.cost.has_value();
}

// ln of the expected improvement over `best` for a normal distribution, in a form that is accurate
// even far from `best`.
double log_expected_gain(double best, double mean, double deviation) {
  constexpr double far = -6;
  const double z = (best - mean) / deviation;
  const double log_density = -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi);
  if (z < far) return std::log(deviation) + log_density - 2 * std::log(-z);
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return std::log(deviation) + std::log(z * below + std::exp(log_density));
}

// `wanted` of them: half are the fastest, and the rest are spread evenly over the others.
std::vector<Known> choose_from(std::vector<Known> all, std::size_t wanted) {
  if (all.size() <= wanted) return all;
  std::stable_sort(all.begin(), all.end(), is_faster);
  const std::size_t fastest = wanted / 2;
  std::vector<Known> chosen(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(fastest));
  const std::size_t more = wanted - fastest;
  for (std::size_t i = 0; i < more; ++i)
    chosen.push_back(all[fastest + i * (all.size() - fastest) / more]);
  return chosen;
}

}  // namespace

Surrogate::Surrogate(const SearchGrid& grid, const std::vector<PriorTrial>& priors,
                     const std::vector<double>& expected, const SurrogateOptions& options)
    : options_(options),
      features_(grid),
      traits_(grid),
      hints_(priors, expected, features_),
      usual_(usual_similarity(traits_, options.similarity)),
      similarity_(usual_) {}

void Surrogate::learn_similarity(const std::vector<Known>& known) {
  hints_.weigh(known);
  std::vector<Known> measured = known;
  std::erase_if(measured, has_failed);
  Samples samples;
  for (const Known& item : choose_from(measured, options_.lessons)) {
    samples.rows.emplace_back(traits_.width());
    traits_.write(item.candidate, samples.rows.back());
    samples.values.push_back(*value(item));
  }
  SimilarityOptions options = options_.similarity;
  if (!has_learned_) options.steps *= kFirstSteps;
  has_learned_ = true;
  similarity_ = learned_similarity(similarity_, usual_, samples, options);
}

std::optional<float> Surrogate::value(const Known& known) const {
  if (!known.cost) return std::nullopt;
  return static_cast<float>(*known.cost) - hints_.of(known.candidate);
}

void Surrogate::draw(std::vector<std::size_t> pool, const std::vector<Known>& known,
                     const std::vector<std::size_t>& pending, std::mt19937_64& random) {
  process_ = GaussianProcess(traits_, similarity_, std::move(pool));
  hinted_.clear();
  for (const std::size_t candidate : process_.pool()) hinted_.push_back(hints_.of(candidate));
  for (const Known& item : choose_from(known, options_.examples))
    process_.add(item.candidate, value(item));
  for (const std::size_t candidate : pending) await(candidate);
  judge_risk(known, random);
  predict(known);
}

void Surrogate::learn_last(const std::vector<Known>& known, std::mt19937_64& random) {
  process_.add(known.back().candidate, value(known.back()));
  if (has_failed(known.back())) judge_risk(known, random);
  predict(known);
}

void Surrogate::judge_risk(const std::vector<Known>& known, std::mt19937_64& random) {
  chances_.assign(pool().size(), 0);
  if (std::ranges::none_of(known, has_failed)) return;
  Examples examples = examples_of(known, features_);
  for (std::size_t i = 0; i < known.size(); ++i) examples.targets[i] = has_failed(known[i]) ? 0 : 1;
  const Forest forest = Forest::fit(examples, options_.risk, random);
  std::vector<float> row(features_.width());
  for (std::size_t i = 0; i < chances_.size(); ++i) {
    features_.write(pool()[i], row);
    chances_[i] = std::log(std::max(kLeastChance, forest.predict(row).mean));
  }
}

void Surrogate::predict(const std::vector<Known>& known) {
  const double fastest = *std::ranges::min_element(known, is_faster)->cost;
  const std::vector<Belief> beliefs = process_.beliefs();
  promises_.clear();
  for (std::size_t i = 0; i < beliefs.size(); ++i)
    promises_.push_back(chances_[i] + log_expected_gain(fastest, beliefs[i].mean + hinted_[i],
                                                        beliefs[i].deviation));
}

float Surrogate::likeness(std::size_t candidate, std::size_t other) const {
  std::vector<float> one(traits_.width());
  std::vector<float> two(traits_.width());
  traits_.write(candidate, one);
  traits_.write(other, two);
  return usual_.of(one, two);
}

}  // namespace tilewright
