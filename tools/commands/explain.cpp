#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "campaign/sweep_report.hpp"
#include "db/store/store.hpp"
#include "definition/architecture.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/print/launch_text.hpp"
#include "tools/print/names.hpp"
#include "tools/print/sweep.hpp"
#include "tools/print/terminal.hpp"
#include "tools/show/subject.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/space.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kNeighbours = 8;

// What one sweep found out about a configuration.
struct FoundOut {
  SweepRecord sweep;
  std::size_t number = 0;      // of its last trial, from 1; 0: the sweep did not try it
  std::optional<Trial> trial;  // that trial
  std::size_t rank = 0;        // among the configurations with a time, 1 is the fastest; 0: no time
  std::size_t timed = 0;       // configurations of all implementations with a time
  double best_us = 0;          // the least of these times
};

// What the newest sweep that tried a configuration found out about it.
struct Known {
  double median_us = 0;                 // 0: no time
  std::optional<Outcome> outcome = {};  // nothing: no sweep tried it
};

// A legal configuration that differs in few parameters.
struct Neighbour {
  Configuration configuration;
  std::size_t distance = 0;  // parameters with another value
  Known known = {};
};

// Why a configuration is in the space or not, and what became of it.
struct Explanation {
  std::string architecture;              // what the implementation needs and the device lacks
  std::vector<BrokenRule> broken_rules;  // of the manifest
  std::string broken_limit;              // of the hardware, before a compile
  bool default_is_legal = true;          // whether the default configuration breaks no rule
  std::vector<FoundOut> sweeps;          // of this problem and device, the newest first
  std::vector<Neighbour> neighbours;     // the nearest first, then the fastest

  bool is_in_space() const {
    return architecture.empty() && broken_rules.empty() && broken_limit.empty();
  }
};

std::string broken_limit(const Tile& tile) {
  const Scope scope = full_scope(tile.problem, tile.configuration, tile.device);
  try {
    const auto violation =
        static_violation(*tile.implementation, launches_of(tile), scope, tile.device);
    return violation ? violation->rule + ": " + violation->message : "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string missing_architecture(const Tile& tile) {
  const std::string here = architecture_of(tile.device);
  const std::string& needed = tile.implementation->requires_architecture;
  if (architecture_for(needed, here)) return "";
  return fmt::format("{} needs {}, and {} is {}", tile.implementation->full_name(), needed,
                     tile.device.name, here);
}

FoundOut found_by(const SweepRecord& sweep, const std::vector<Trial>& trials, const Tile& tile) {
  FoundOut found;
  found.sweep = sweep;
  std::map<std::pair<std::string, Configuration>, double> times;  // the last one of each
  const std::pair own(tile.implementation->full_name(), tile.configuration);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::pair one(trials[i].implementation, trials[i].configuration);
    if (one == own) {
      found.number = i + 1;
      found.trial = trials[i];
    }
    if (trials[i].timing) times[one] = median_of(trials[i]);
  }
  found.timed = times.size();
  for (const auto& [name, us] : times)
    found.best_us = found.best_us == 0 ? us : std::min(found.best_us, us);
  if (const auto timed = times.find(own); timed != times.end())
    found.rank = 1 + static_cast<std::size_t>(std::ranges::count_if(
                         times, [&](const auto& one) { return one.second < timed->second; }));
  return found;
}

std::size_t distance_between(const Implementation& implementation, const Configuration& one,
                             const Configuration& other) {
  return static_cast<std::size_t>(
      std::ranges::count_if(implementation.parameters, [&](const Parameter& parameter) {
        const Value* const left = find_value(one, parameter);
        const Value* const right = find_value(other, parameter);
        return (left == nullptr) != (right == nullptr) ||
               (left != nullptr && right != nullptr && *left != *right);
      }));
}

std::vector<Neighbour> nearest(const Tile& tile, const std::map<Configuration, Known>& known) {
  const Space space = build_space(*tile.operation, *tile.implementation, tile.problem, tile.device);
  const auto rank = [](const Neighbour& one) {
    return std::tuple(one.distance, one.known.median_us == 0, one.known.median_us);
  };
  std::vector<Neighbour> best;
  for (std::size_t i = 0; i < space.legal.size(); ++i) {
    Neighbour one{space.legal[i]};
    one.distance = distance_between(*tile.implementation, tile.configuration, one.configuration);
    if (one.distance == 0 || (best.size() == kNeighbours && one.distance > best.back().distance))
      continue;
    if (const auto found = known.find(one.configuration); found != known.end())
      one.known = found->second;
    best.insert(std::ranges::upper_bound(best, rank(one), {}, rank), std::move(one));
    if (best.size() > kNeighbours) best.pop_back();
  }
  return best;
}

// `store` may be null. Throws InputError if the configuration has other parameters or values than
// the manifest.
Explanation explain(const Tile& tile, const Store* store) {
  Explanation result;
  result.architecture = missing_architecture(tile);
  const std::string name = tile.implementation->full_name();
  result.broken_rules =
      broken_rules(name, *tile.implementation, tile.configuration, tile.problem, tile.device);
  if (result.broken_rules.empty()) result.broken_limit = broken_limit(tile);
  result.default_is_legal =
      broken_rules(name, *tile.implementation, default_configuration(*tile.implementation),
                   tile.problem, tile.device)
          .empty();
  std::map<Configuration, Known> known;
  std::vector<SweepRecord> sweeps;
  if (store != nullptr)
    sweeps = store->sweeps(
        {.operation = tile.operation->name, .problem = tile.problem, .device = tile.device});
  std::ranges::reverse(sweeps);
  for (const SweepRecord& sweep : sweeps) {
    if (find_named(sweep.key.implementations, name) == nullptr) continue;
    const std::vector<Trial> trials = store->trials(sweep.id);
    result.sweeps.push_back(found_by(sweep, trials, tile));
    std::map<Configuration, Known> own;
    for (const Trial& trial : trials)
      if (trial.implementation == name)
        own[trial.configuration] = {median_of(trial), trial.outcome};
    known.merge(own);  // what is there already stays
  }
  result.neighbours = nearest(tile, known);
  return result;
}

// The words after the name: those of the problem, and those of parameters.
struct SortedWords {
  std::vector<std::string> problem;  // begins with the name
  std::vector<std::string> parameters;
};

// Throws InputError unless it is a parameter, or belongs to the problem.
void require_known(const std::string& name, const Target& target) {
  const Operation& operation = target.operation();
  std::vector<std::string> known;
  for (const Parameter& one : target.implementations.front()->parameters) known.push_back(one.name);
  for (const Dimension& one : operation.dimensions) known.push_back(one.name);
  for (const Choice& one : operation.choices) known.push_back(one.name);
  for (const Hook& one : operation.hooks) known.push_back(one.name);
  if (std::ranges::find(known, name) == known.end())
    throw bad_input("{}: no parameter, dimension, choice or hook '{}'{}",
                    target.implementations.front()->full_name(), name, suggestion(name, known));
}

SortedWords sorted_words(const std::vector<std::string>& words, const Library& library) {
  SortedWords sorted;
  if (words.empty()) return sorted;
  const Target named = read_target(std::vector<std::string>{words.front()}, library);
  if (const auto& all = named.implementations; all.size() != 1)
    throw bad_input("'{}' has {} implementations; name one: {}", words.front(), all.size(),
                    fmt::join(names_of(all, &Implementation::full_name), ", "));
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool is_parameter =
        find_named(named.implementations.front()->parameters, name) != nullptr;
    if (&word != &words.front() && !is_parameter) require_known(name, named);
    (is_parameter ? sorted.parameters : sorted.problem).push_back(word);
  }
  return sorted;
}

struct ExplainGiven : GivenPrinting {
  Places places;
  std::string device;

  void declare(Options& all) {
    all.text(device, kStoredDeviceOption);
    places.declare(all, {kDatabase, kKernels, kLibraries, kShipped});
    GivenPrinting::declare(all);
  }
};

nlohmann::json report_of(const FoundOut& found) {
  return nlohmann::json::parse(found.sweep.report, nullptr, false);
}

std::string found_text(const FoundOut& found) {
  const std::string sweep = found.sweep.uuid.substr(0, 8);
  if (!found.trial)
    return fmt::format("{}: not tried; {} other configurations have a time, the best {}", sweep,
                       count_text(static_cast<std::int64_t>(found.timed)),
                       time_text(found.best_us));
  const std::string trial = fmt::format("{}/{}", sweep, found.number);
  if (found.trial->timing) {
    const double us = found.trial->timing->median_us;
    const std::string behind = faster_than_text(found.best_us, us, "the best");
    return fmt::format("{}: {}, rank {} of {}{}", trial, time_text(us), found.rank, found.timed,
                       found.rank == 1 ? "" : ", " + behind);
  }
  return fmt::format("{}: {}{}{}{}{}", trial, to_text(found.trial->outcome),
                     found.trial->rule.empty() ? "" : ", ", found.trial->rule,
                     found.trial->message.empty() ? "" : ": ", cause_of(*found.trial));
}

void print_text(std::ostream& out, const Tile& tile, const Explanation& why, Detail detail) {
  out << fmt::format(
      "{} | {}\n",
      named_problem(tile.implementation->full_name(), problem_text(*tile.operation, tile.problem)),
      tile.device.name);
  Table table({});
  table.add({"config", configuration_text(*tile.implementation, tile.configuration, detail)});
  table.add({"space", why.is_in_space() ? "in the space" : "not in the space"});
  if (!why.architecture.empty()) table.add({"device", why.architecture});
  for (const BrokenRule& rule : why.broken_rules) {
    table.add({"rule", rule.why});
    if (!rule.formula.empty()) table.add({"", "requires " + formula_text(rule.formula, detail)});
    if (!rule.values.empty()) table.add({"", "here " + rule.values});
  }
  if (!why.broken_limit.empty()) table.add({"limit", why.broken_limit});
  if (!why.default_is_legal && !why.is_in_space())
    table.add(
        {"default", "it breaks rules for this problem, too; change the parameters that they name"});
  for (const FoundOut& found : why.sweeps) table.add({"sweep", found_text(found)});
  if (!why.sweeps.empty())
    for (const std::string& text : found_wrong_texts(report_of(why.sweeps.front())))
      table.add({"check", text});
  if (why.sweeps.empty()) table.add({"sweep", "no sweep of this problem on this device is stored"});
  table.print(out, "  ");
  if (why.neighbours.empty()) return;
  out << "nearest legal configurations, by the parameters that they change\n";
  Table near({}, {0});
  for (const Neighbour& one : why.neighbours)
    near.add({one.known.median_us > 0 ? time_text(one.known.median_us)
              : one.known.outcome     ? std::string(to_text(*one.known.outcome))
                                      : "not tried",
              difference_text(*tile.implementation, tile.configuration, one.configuration)});
  near.print(out, "  ");
}

nlohmann::json json_of(const FoundOut& found) {
  nlohmann::json json = {{"sweep", found.sweep.uuid},
                         {"timed", found.timed},
                         {"best_us", found.best_us},
                         {"rank", found.rank}};
  if (found.trial) json["trial"] = to_json(*found.trial);
  if (found.trial) json["number"] = found.number;
  const nlohmann::json report = report_of(found);
  if (report.contains("simple_answers")) json["simple_answers"] = report["simple_answers"];
  return json;
}

nlohmann::json json_of(const Neighbour& one) {
  nlohmann::json json = {{"configuration", to_json(one.configuration.values)},
                         {"distance", one.distance},
                         {"median_us", one.known.median_us}};
  if (one.known.outcome) json["outcome"] = to_text(*one.known.outcome);
  return json;
}

nlohmann::json json_of(const Tile& tile, const Explanation& why) {
  return {
      {"implementation", tile.implementation->full_name()},
      {"problem", to_json(tile.problem.values)},
      {"device", device_summary(tile.device)},
      {"configuration", to_json(tile.configuration.values)},
      {"in_space", why.is_in_space()},
      {"architecture", why.architecture},
      {"broken_rules", json_list(why.broken_rules, &BrokenRule::text)},
      {"broken_limit", why.broken_limit},
      {"default_is_legal", why.default_is_legal},
      {"sweeps", json_list(why.sweeps, [](const FoundOut& one) { return json_of(one); })},
      {"neighbours", json_list(why.neighbours, [](const Neighbour& one) { return json_of(one); })}};
}

int run_explain(const ExplainGiven& given) {
  std::set<std::string> names;
  if (!given.words.empty()) names.insert(given.words.front());
  const Library library = load_library(given.places, names);
  const SortedWords words = sorted_words(given.words, library);
  const Target target = read_target(words.problem, library);
  Tile tile{&target.operation(), target.implementations.front(), {}, {}, {}};
  given_values(*tile.operation, target.assignments);  // bad input first
  tile.configuration =
      read_configuration(tile.implementation->full_name(), words.parameters, *tile.implementation);
  TargetAnswers answers(target, given.places);
  tile.device = answers.device({given.device});
  tile.problem = make_problem(*tile.operation, target.assignments, tile.device);
  const Explanation why = explain(tile, answers.store());
  if (given.json)
    print_json(std::cout, json_of(tile, why));
  else
    print_text(std::cout, tile, why, given.detail);
  return why.is_in_space() ? kDone : kNothing;
}

}  // namespace

Command explain_command() {
  return make_command(
      {"explain", Purpose::ask,
       "Say why a configuration is in the space or not, how it did, and what is next to it.",
       "OPERATION/IMPLEMENTATION|FILE.toml DIM=VALUE… PARAMETER=VALUE… [options]",
       "  tilewright explain gemm/tiled M=N=K=1024 BLOCK_X=32 BLOCK_Y=32 COARSEN_X=4\n\n"
       "parameters that are not given have their defaults; status 1: it is not in the space\n"},
      run_explain);
}

}  // namespace tilewright::tools
