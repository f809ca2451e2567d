// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/search/model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/definition/suggest.hpp"
#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

// From 0 up to 1.
double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

// Of an exponential distribution with mean 1.
double exponential(std::mt19937_64& random) {
  return -std::log(1 - unit(random));
}

std::size_t whole(double number) {
  return static_cast<std::size_t>(std::max(0.0, number));
}

using Setter = std::function<void(ModelOptions&, double)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> known = {
      {"starts", [](ModelOptions& options, double to) { options.starts = whole(to); }},
      {"pool", [](ModelOptions& options, double to) { options.pool = whole(to); }},
      {"kept", [](ModelOptions& options, double to) { options.kept = whole(to); }},
      {"centres", [](ModelOptions& options, double to) { options.centres = whole(to); }},
      {"exploration", [](ModelOptions& options, double to) { options.exploration = to; }},
      {"probe", [](ModelOptions& options, double to) { options.probe = to; }},
      {"detour", [](ModelOptions& options, double to) { options.detour = to; }},
      {"refit", [](ModelOptions& options, double to) { options.refit = to; }},
      {"trees", [](ModelOptions& options, double to) { options.forest.trees = whole(to); }},
      {"leaf", [](ModelOptions& options, double to) { options.forest.smallest_leaf = whole(to); }},
      {"tried", [](ModelOptions& options, double to) { options.forest.tried_features = to; }}};
  return known;
}

void set(ModelOptions& options, const std::string& item) {
  const std::size_t equals = item.find('=');
  const std::string name = item.substr(0, equals);
  const auto setter = setters().find(name);
  if (setter == setters().end()) {
    std::vector<std::string> names;
    for (const auto& [known, set] : setters()) names.push_back(known);
    throw InputError("unknown setting '" + name + "' of strategy model" + suggestion(name, names));
  }
  const std::string text = equals == std::string::npos ? "" : item.substr(equals + 1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc{} || last != end)
    throw InputError("'" + item + "' of strategy model: give " + name + "=NUMBER");
  setter->second(options, number);
}

}  // namespace

ModelOptions model_options(const std::string& text) {
  ModelOptions options;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ':');) set(options, item);
  return options;
}

Examples examples_of(const std::vector<Known>& known, const Features& features) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double fastest = infinity;
  double slowest = -infinity;
  for (const Known& item : known) {
    fastest = std::min(fastest, item.cost.value_or(infinity));
    slowest = std::max(slowest, item.cost.value_or(-infinity));
  }
  Examples examples;
  examples.width = features.width();
  examples.features.resize(known.size() * examples.width);
  for (std::size_t i = 0; i < known.size(); ++i) {
    features.write(known[i].candidate,
                   {examples.features.data() + i * examples.width, examples.width});
    const double cost = known[i].cost.value_or(slowest);
    examples.targets.push_back(static_cast<float>(cost - fastest));
  }
  return examples;
}

ModelStrategy::ModelStrategy(SearchProblem problem, const ModelOptions& options)
    : LearningStrategy(std::move(problem)),
      options_(options),
      features_(grid()),
      neighbours_(grid()) {}

std::size_t ModelStrategy::choose() {
  if (known().size() < options_.starts || best() == nullptr || grid().size() == 0)
    return random_untaken();
  if (is_outdated()) judge_pool();
  const auto weight = static_cast<float>(options_.exploration * exponential(random()));
  std::size_t chosen = count();
  const double share = unit(random());
  if (share < options_.probe) {
    chosen = probe(weight);
  } else if (share < options_.probe + options_.detour) {
    chosen = detour(weight);
  }
  if (chosen == count()) chosen = most_hopeful(judged_, weight);
  return chosen < count() ? chosen : random_untaken();
}

std::size_t ModelStrategy::most_hopeful(const std::vector<Judged>& judged, float weight) const {
  float least = std::numeric_limits<float>::infinity();
  std::size_t chosen = count();
  for (const auto& [candidate, prediction] : judged) {
    const float hoped = prediction.mean - weight * prediction.deviation;
    if (hoped >= least || is_taken(candidate)) continue;
    least = hoped;
    chosen = candidate;
  }
  return chosen;
}

// A forest that has seen a value only in bad company will not propose it. So every parameter has
// its turn.
std::size_t ModelStrategy::probe(float weight) {
  std::vector<std::vector<Judged>> by_axis(grid().axes.size());
  const auto own = grid().of(best()->candidate);
  for (const std::size_t other : neighbours_.around(best()->candidate)) {
    if (is_taken(other)) continue;
    const auto changed = std::mismatch(own.begin(), own.end(), grid().of(other).begin()).first;
    by_axis[static_cast<std::size_t>(changed - own.begin())].push_back({other, predict(other)});
  }
  std::erase_if(by_axis, [](const std::vector<Judged>& axis) { return axis.empty(); });
  if (by_axis.empty()) return count();
  return most_hopeful(by_axis[static_cast<std::size_t>(below(by_axis.size(), random()))], weight);
}

// What looks best of all that have some value, drawn at random: what suits it may suit no neighbour
// of the fastest.
std::size_t ModelStrategy::detour(float weight) {
  const auto axis = static_cast<std::size_t>(below(grid().axes.size(), random()));
  const std::size_t levels = grid().axes[axis].labels.size();
  const auto level = static_cast<std::uint16_t>(below(levels, random()));
  std::vector<Judged> having;
  for (const Judged& judged : judged_)
    if (grid().of(judged.candidate)[axis] == level) having.push_back(judged);
  return most_hopeful(having, weight);
}

Prediction ModelStrategy::predict(std::size_t candidate) const {
  std::vector<float> row(features_.width());
  features_.write(candidate, row);
  return forest_.predict(row);
}

bool ModelStrategy::is_outdated() const {
  const auto all = static_cast<double>(known().size());
  const auto since = static_cast<double>(known().size() - fitted_at_);
  return judged_.empty() || since >= std::max(1.0, options_.refit * all);
}

void ModelStrategy::judge_pool() {
  fitted_at_ = known().size();
  forest_ = Forest::fit(examples_of(known(), features_), options_.forest, random());
  const std::vector<std::size_t> pool = draw_pool();
  judged_.clear();
  std::vector<float> row(features_.width());
  for (const std::size_t candidate : pool) {
    features_.write(candidate, row);
    judged_.push_back({candidate, forest_.predict(row)});
  }
}

// All that are left, or: what looked best last time, the surroundings of the fastest known, and
// others at random.
std::vector<std::size_t> ModelStrategy::draw_pool() {
  std::vector<std::size_t> pool;
  if (count() <= options_.pool) {
    for (std::size_t i = 0; i < count(); ++i)
      if (!is_taken(i)) pool.push_back(i);
    return pool;
  }
  const auto kept = std::min(options_.kept, judged_.size());
  std::partial_sort(
      judged_.begin(), judged_.begin() + static_cast<std::ptrdiff_t>(kept), judged_.end(),
      [](const Judged& a, const Judged& b) { return a.prediction.mean < b.prediction.mean; });
  for (std::size_t i = 0; i < kept; ++i) pool.push_back(judged_[i].candidate);
  for (const std::size_t centre : fastest_known()) {
    const std::vector<std::size_t> around = neighbours_.around(centre);
    pool.insert(pool.end(), around.begin(), around.end());
  }
  std::erase_if(pool, [this](std::size_t candidate) { return is_taken(candidate); });
  while (pool.size() < options_.pool && untaken() > 0) pool.push_back(random_untaken());
  std::sort(pool.begin(), pool.end());
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return pool;
}

std::vector<std::size_t> ModelStrategy::fastest_known() const {
  std::vector<Known> measured;
  std::copy_if(known().begin(), known().end(), std::back_inserter(measured),
               [](const Known& item) { return item.cost.has_value(); });
  const std::size_t wanted = std::min(options_.centres, measured.size());
  std::partial_sort(measured.begin(), measured.begin() + static_cast<std::ptrdiff_t>(wanted),
                    measured.end(),
                    [](const Known& a, const Known& b) { return *a.cost < *b.cost; });
  std::vector<std::size_t> fastest;
  for (std::size_t i = 0; i < wanted; ++i) fastest.push_back(measured[i].candidate);
  return fastest;
}

}  // namespace tilewright
