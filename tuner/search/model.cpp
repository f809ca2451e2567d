#include "tuner/search/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <variant>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using Setting = std::variant<std::size_t*, int*, double*>;

std::map<std::string, Setting> settings_of(ModelOptions& options) {
  SurrogateOptions& surrogate = options.surrogate;
  SimilarityOptions& similarity = surrogate.similarity;
  return {{"starts", &options.starts},     {"pool", &options.pool},
          {"kept", &options.kept},         {"centres", &options.centres},
          {"growth", &options.growth},     {"draws", &options.draws},
          {"turns", &options.turns},       {"examples", &surrogate.examples},
          {"lessons", &surrogate.lessons}, {"trees", &surrogate.risk.trees},
          {"steps", &similarity.steps},    {"spread", &similarity.spread},
          {"level", &similarity.level},    {"place", &similarity.place},
          {"noise", &similarity.noise}};
}

void set(ModelOptions& options, const std::string& item) {
  const std::size_t equals = item.find('=');
  const std::string name = item.substr(0, equals);
  const auto settings = settings_of(options);
  const auto setting = settings.find(name);
  if (setting == settings.end())
    throw InputError("unknown setting '" + name + "' of strategy model" +
                     suggestion(name, names_of(settings, &decltype(settings)::value_type::first)));
  const auto number = number_in(equals == std::string::npos ? "" : item.substr(equals + 1));
  if (!number) throw InputError("'" + item + "' of strategy model: give " + name + "=NUMBER");
  const auto assign = [&number]<class Number>(Number* place) {
    *place = static_cast<Number>(std::is_unsigned_v<Number> ? std::max(0.0, *number) : *number);
  };
  std::visit(assign, setting->second);
}

}  // namespace

ModelOptions model_options(const std::string& text) {
  ModelOptions options;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ':');) set(options, item);
  return options;
}

ModelStrategy::ModelStrategy(SearchProblem problem, const ModelOptions& options)
    : Strategy(std::move(problem)),
      options_(options),
      neighbours_(grid()),
      surrogate_(grid(), priors(), expected(), options.surrogate) {}

bool ModelStrategy::is_ready() const {
  return grid().size() > 0 && best() != nullptr && known().size() >= options_.starts;
}

std::size_t ModelStrategy::choose() {
  if (!is_ready()) return unlike_all();
  std::size_t chosen = most_promising(rivals());
  if (chosen == count()) chosen = most_promising({});
  if (chosen == count()) return random_untaken();
  surrogate_.await(chosen);
  return chosen;
}

void ModelStrategy::learn(const Known& now) {
  if (!is_ready()) return;
  const std::size_t all = known().size();
  const bool is_lesson = all >= next_lesson_;
  const bool has_new_neighbours = best()->candidate == now.candidate && count() > options_.pool;
  if (is_lesson) {
    surrogate_.learn_similarity(known());
    const auto more = static_cast<std::size_t>(options_.growth * static_cast<double>(all));
    next_lesson_ = all + std::max<std::size_t>(1, more);
  }
  if (is_lesson || has_new_neighbours) {
    surrogate_.draw(draw_pool(), known(), pending(), random());
  } else {
    surrogate_.learn_last(known(), random());
  }
}

// One that is not taken. Low expected costs are likelier, as far as they are right here. One of
// which nobody says what it costs is as likely as without them.
std::size_t ModelStrategy::drawn() {
  std::size_t chosen = random_untaken();
  if (expected().empty()) return chosen;
  const auto others = static_cast<float>(std::max<std::size_t>(1, options_.draws) - 1);
  const auto drawn = std::lround(others * surrogate_.trust_in_expected());
  for (long i = 0; i < drawn; ++i) {
    const std::size_t other = random_untaken();
    if (expected()[other] > 0 && expected()[other] < expected()[chosen]) chosen = other;
  }
  return chosen;
}

// Of some random candidates, the one that is least similar to those taken.
std::size_t ModelStrategy::unlike_all() {
  constexpr int tries = 50;
  std::vector<std::size_t> taken = pending();
  for (const Known& item : known()) taken.push_back(item.candidate);
  std::size_t chosen = drawn();
  if (grid().size() == 0) return chosen;
  float least = std::numeric_limits<float>::infinity();
  for (int i = 0; i < tries; ++i) {
    const std::size_t candidate = drawn();
    float most = 0;
    for (const std::size_t item : taken)
      most = std::max(most, surrogate_.likeness(candidate, item));
    if (most >= least) continue;
    least = most;
    chosen = candidate;
  }
  return chosen;
}

// By level of the implementations' axis: whose turn it is. Empty: everybody's. The gain that is
// expected where much is known is small but sure, so without this a search would refine the
// implementation that did well first, and hardly look at one that needs a better tile.
std::vector<bool> ModelStrategy::rivals() const {
  constexpr double far = 0.25;                    // of ln of the time
  const std::size_t taken = count() - untaken();  // the same in a resumed sweep
  if (!grid().has_implementations || options_.turns == 0 || taken % options_.turns != 0) return {};
  std::vector<bool> rivals(grid().axes.back().labels.size(), false);
  for (const Known& item : known())
    if (item.cost && *item.cost < *best()->cost + far)
      rivals[grid().of(item.candidate).back()] = true;
  rivals[grid().of(best()->candidate).back()] = false;
  return rivals;
}

// The best of the pool, of these rivals if there are any; count() if all of it is taken.
std::size_t ModelStrategy::most_promising(const std::vector<bool>& rivals) const {
  double most = -std::numeric_limits<double>::infinity();
  std::size_t chosen = count();
  const std::vector<std::size_t>& pool = surrogate_.pool();
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const double promise = surrogate_.promises()[i];
    if (promise <= most || is_taken(pool[i])) continue;
    if (!rivals.empty() && !rivals[grid().of(pool[i]).back()]) continue;
    most = promise;
    chosen = pool[i];
  }
  return chosen;
}

// All that are left. If these are too many: the most promising ones of the last pool, neighbours of
// the fastest known, and random others.
std::vector<std::size_t> ModelStrategy::draw_pool() {
  std::vector<std::size_t> pool;
  if (count() <= options_.pool) {
    for (std::size_t i = 0; i < count(); ++i)
      if (!is_taken(i)) pool.push_back(i);
    return pool;
  }
  pool = judged_best();
  const std::vector<std::size_t> around = around_fastest();
  pool.insert(pool.end(), around.begin(), around.end());
  std::erase_if(pool, [this](std::size_t candidate) { return is_taken(candidate); });
  while (pool.size() < options_.pool && untaken() > 0) pool.push_back(drawn());
  std::sort(pool.begin(), pool.end());
  pool.erase(std::unique(pool.begin(), pool.end()), pool.end());
  return pool;
}

std::vector<std::size_t> ModelStrategy::judged_best() const {
  const std::vector<double>& promises = surrogate_.promises();
  std::vector<std::size_t> places(promises.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::size_t kept = std::min(options_.kept, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept),
                    places.end(),
                    [&](std::size_t a, std::size_t b) { return promises[a] > promises[b]; });
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < kept; ++i) best.push_back(surrogate_.pool()[places[i]]);
  return best;
}

std::vector<std::size_t> ModelStrategy::around_fastest() const {
  std::vector<Known> fastest = known();
  const std::size_t centres = std::min(options_.centres, fastest.size());
  std::partial_sort(fastest.begin(), fastest.begin() + static_cast<std::ptrdiff_t>(centres),
                    fastest.end(), is_faster);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < centres; ++i) {
    const std::vector<std::size_t> around = neighbours_.around(fastest[i].candidate);
    found.insert(found.end(), around.begin(), around.end());
  }
  return found;
}

}  // namespace tilewright
