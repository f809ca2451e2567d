#include "campaign/failures.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "campaign/texts.hpp"
#include "definition/json/json.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

using ConfigurationList = std::vector<const Configuration*>;

constexpr std::size_t kFewest = 3;      // of what is compared
constexpr std::size_t kMostValues = 3;  // of one parameter
constexpr std::size_t kOneIn = 10;      // of the others may have what is common

// The worst first.
constexpr std::array kFailures = {
    Outcome::wrong_answer,      Outcome::wrote_out_of_bounds, Outcome::faulted,
    Outcome::timed_out,         Outcome::launch_failed,       Outcome::compile_failed,
    Outcome::compile_timed_out, Outcome::machine_failed,      Outcome::unsupported};

bool has_one_of(const Configuration& configuration, const std::string& name,
                const std::vector<Value>& values) {
  const auto own = configuration.values.find(name);
  return own != configuration.values.end() && is_among(own->second, values);
}

ConfigurationList having(const ConfigurationList& all, const std::string& name,
                         const std::vector<Value>& values) {
  ConfigurationList those;
  std::ranges::copy_if(all, std::back_inserter(those),
                       [&](const Configuration* one) { return has_one_of(*one, name, values); });
  return those;
}

// The parameters of which the failed ones have few values, and those values.
CommonValues shared_values(const ConfigurationList& failed) {
  CommonValues shared;
  for (const auto& [name, value] : failed.front()->values) {
    std::set<Value> values;
    for (const Configuration* one : failed)
      if (const auto own = one->values.find(name); own != one->values.end())
        values.insert(own->second);
    if (values.size() <= kMostValues &&
        having(failed, name, {values.begin(), values.end()}).size() == failed.size())
      shared.emplace(name, std::vector<Value>(values.begin(), values.end()));
  }
  return shared;
}

// The one of `shared` that fewest of `others` have too, then the one with fewest values.
CommonValues::const_iterator rarest(const CommonValues& shared, const ConfigurationList& others) {
  return std::ranges::min_element(shared, {}, [&](const auto& condition) {
    return std::pair(having(others, condition.first, condition.second).size(),
                     condition.second.size());
  });
}

// The last trial of each configuration, in the order of the first ones.
std::vector<std::size_t> last_trials(const std::vector<Trial>& trials) {
  std::map<std::pair<std::string, Configuration>, std::size_t> places;
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto [place, is_new] =
        places.try_emplace({trials[i].implementation, trials[i].configuration}, last.size());
    if (is_new)
      last.push_back(i);
    else
      last[place->second] = i;
  }
  return last;
}

std::string only_implementation(const std::vector<Trial>& trials,
                                const std::vector<std::size_t>& some) {
  const std::string& first = trials[some.front()].implementation;
  const bool is_only =
      std::ranges::all_of(some, [&](std::size_t i) { return trials[i].implementation == first; });
  return is_only ? first : "";
}

}  // namespace

CommonValues common_values(const ConfigurationList& failed, const ConfigurationList& others) {
  if (failed.size() < kFewest || others.size() < kFewest) return {};
  const CommonValues shared = shared_values(failed);
  if (shared.empty()) return {};
  const auto count = [](const ConfigurationList& of, const auto& condition) {
    return having(of, condition.first, condition.second).size();
  };
  const auto alone = rarest(shared, others);
  CommonValues best = {*alone};
  std::size_t least = count(others, *alone);
  for (const auto& condition : shared) {
    if (least == 0) break;
    const ConfigurationList left = having(others, condition.first, condition.second);
    CommonValues rest = shared;
    rest.erase(condition.first);
    if (rest.empty()) break;
    const auto second = rarest(rest, left);
    if (count(left, *second) >= least) continue;
    least = count(left, *second);
    best = {condition, *second};
  }
  return least <= others.size() / kOneIn ? best : CommonValues{};
}

bool is_failure(Outcome outcome) {
  return is_among(outcome, kFailures);
}

bool is_wrong(Outcome outcome) {
  return outcome == Outcome::wrong_answer || outcome == Outcome::wrote_out_of_bounds;
}

std::vector<Failures> failures_of(const std::vector<Trial>& trials) {
  const std::vector<std::size_t> last = last_trials(trials);
  std::vector<Failures> all;
  for (const Outcome outcome : kFailures) {
    std::vector<std::size_t> failed;
    std::ranges::copy_if(last, std::back_inserter(failed),
                         [&](std::size_t i) { return trials[i].outcome == outcome; });
    if (failed.empty()) continue;
    Failures one{outcome, failed.size(), failed.front(), only_implementation(trials, failed), {}};
    ConfigurationList those, others;
    for (const std::size_t i : last) {
      const Trial& trial = trials[i];
      if (trial.implementation != one.implementation) continue;
      if (trial.outcome == outcome) those.push_back(&trial.configuration);
      if (trial.outcome == Outcome::measured) others.push_back(&trial.configuration);
    }
    one.cause = common_values(those, others);
    all.push_back(std::move(one));
  }
  return all;
}

std::size_t correct_count(const std::vector<Trial>& trials) {
  const std::vector<std::size_t> last = last_trials(trials);
  return static_cast<std::size_t>(std::ranges::count_if(
      last, [&](std::size_t i) { return trials[i].outcome == Outcome::measured; }));
}

nlohmann::json json_of(const std::vector<Failures>& failures) {
  return json_list(failures, [&](const Failures& one) -> nlohmann::json {
    nlohmann::json cause = nlohmann::json::object();
    for (const auto& [name, values] : one.cause) cause[name] = json_list(values, json_of_value);
    return {{"outcome", to_text(one.outcome)},
            {"count", one.count},
            {"implementation", one.implementation},
            {"cause", cause}};
  });
}

}  // namespace tilewright
