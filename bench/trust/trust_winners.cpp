#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>

#include "bench/trust/trust.hpp"
#include "db/store/store.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::bench {
namespace {

// A database's answer to a problem: the best of its implementations.
struct Entrant {
  std::string database;
  BestRow row;
};

struct Race {
  Problem problem;
  std::vector<Entrant> entrants;
};

// The problems to which every database has an answer, in the order of the first one.
std::vector<Race> races_of(const std::vector<std::string>& databases, const Device& device) {
  std::vector<Race> races;
  for (const std::string& file : databases) {
    Query query;
    query.device = device;
    for (BestRow& row : Store(file, Store::Mode::read_only).best(query)) {
      auto race = std::ranges::find(races, row.problem, &Race::problem);
      if (race == races.end()) race = races.insert(races.end(), Race{row.problem, {}});
      auto& entrants = race->entrants;
      if (entrants.empty() || entrants.back().database != file)
        entrants.push_back({file, std::move(row)});
      else if (mean_time_us(row.trial) < mean_time_us(entrants.back().row.trial))
        entrants.back().row = std::move(row);
    }
  }
  std::erase_if(races, [&](const Race& race) { return race.entrants.size() != databases.size(); });
  if (races.empty()) throw InputError("no problem has an answer in each of these databases");
  return races;
}

class Track {
 public:
  explicit Track(const TrustGiven& given)
      : given_(given),
        library_(tools::load_library(given.measuring.places)),
        report_(tools::device_to_measure_on(given.measuring.device)),
        compiler_(given.measuring, report_.device),
        session_(worker_session(report_.device)) {}

  const Device& device() const { return report_.device; }

  // Their trials, by entrant. Equal configurations are measured once.
  std::vector<Trial> run(const Race& race) {
    const auto known = std::make_shared<const Family>(library_.family(race.problem.operation));
    const auto family = tools::family_with(known, race.problem.values, library_.snippets());
    SweepRequest request =
        request_for(family->operation, race.problem, report_.device, policy_of(report_.device));
    request.device_index = report_.index;
    request.seed = given_.search.options.seed;
    std::vector<Candidate> candidates;
    std::vector<std::size_t> places;
    for (const Entrant& entrant : race.entrants) {
      const BestRow& row = entrant.row;
      const std::string name = row.implementation.substr(row.implementation.find('/') + 1);
      const Candidate candidate{&family->implementation(name), row.configuration};
      const auto same = std::ranges::find_if(candidates, [&](const Candidate& other) {
        return other.implementation == candidate.implementation &&
               other.configuration == candidate.configuration;
      });
      places.push_back(static_cast<std::size_t>(same - candidates.begin()));
      if (same == candidates.end()) candidates.push_back(candidate);
    }
    for (const Candidate& one : candidates)
      if (std::ranges::find(request.implementations, one.implementation) ==
          request.implementations.end())
        request.implementations.push_back(one.implementation);
    const std::atomic<bool> stop = false;
    const auto measured = remeasure(request, candidates, compiler_.pool(), *session_, stop);
    std::vector<Trial> trials;
    for (const std::size_t place : places) trials.push_back(measured.at(place));
    return trials;
  }

 private:
  static Policy policy_of(const Device& device) {
    return {default_cache_policy(device), runs_on_cpu(device.kind) ? "call" : "graph"};
  }

  const TrustGiven& given_;
  Library library_;
  DeviceReport report_;
  TrustCompiler compiler_;
  std::unique_ptr<Evaluator> session_;
};

nlohmann::json json_of(const Entrant& entrant, const Trial& trial, const Times& fastest) {
  nlohmann::json json = {{"database", entrant.database},
                         {"implementation", entrant.row.implementation},
                         {"configuration", to_json(entrant.row.configuration.values)},
                         {"outcome", to_text(trial.outcome)}};
  const Times times = times_of(trial);
  if (times.empty()) return json;
  for (std::size_t i = 0; i < std::min(times.size(), fastest.size()); ++i)
    json[to_text(times[i]->cache.value_or(CachePolicy::warm))] = {
        {"median_us", times[i]->median_us},
        {"ratio", ratio_of(*times[i], *fastest[i]).value},
        {"sm_mhz", times[i]->sm_mhz}};
  json["worst_ratio"] = behind(times, fastest);
  return json;
}

std::string time_cell(const nlohmann::json& result, const char* cache) {
  if (!result.contains(cache)) return "";
  const nlohmann::json& time = result[cache];
  return fmt::format("{} {:.3f}", tools::time_text(time["median_us"]), time["ratio"].get<double>());
}

// How far behind each database's winners are, over all problems.
void print_summary(const std::map<std::string, std::vector<double>>& ratios) {
  tools::Table table({"database", "problems", "median", "90 %", "95 %", "worst"}, {1, 2, 3, 4, 5});
  for (const auto& [database, values] : ratios)
    table.add({database, std::to_string(values.size()), fmt::format("{:.3f}", median(values)),
               fmt::format("{:.3f}", quantile(values, 0.9)),
               fmt::format("{:.3f}", quantile(values, 0.95)),
               fmt::format("{:.3f}", *std::ranges::max_element(values))});
  table.print(std::cout);
}

int run_winners(const TrustGiven& given) {
  if (given.words.size() < 2) throw InputError("name at least two databases");
  Track track(given);
  nlohmann::json results = nlohmann::json::array();
  std::map<std::string, std::vector<double>> ratios;
  for (const Race& race : races_of(given.words, track.device())) {
    const std::vector<Trial> trials = track.run(race);
    std::vector<Times> times;
    for (const Trial& trial : trials)
      if (trial.timing) times.push_back(times_of(trial));
    const Times fastest = fastest_times(times);
    nlohmann::json entrants = nlohmann::json::array();
    tools::Table table({"database", "cold", "warm", "implementation"}, {});
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const nlohmann::json& one =
          entrants.emplace_back(json_of(race.entrants[i], trials[i], fastest));
      table.add({race.entrants[i].database, time_cell(one, "cold"), time_cell(one, "warm"),
                 race.entrants[i].row.implementation});
      if (one.contains("worst_ratio")) ratios[one["database"]].push_back(one["worst_ratio"]);
    }
    std::cout << race.problem.operation << ' ' << to_text(race.problem.values) << '\n';
    table.print(std::cout, "  ");
    results.push_back({{"operation", race.problem.operation},
                       {"problem", to_json(race.problem.values)},
                       {"winners", entrants}});
  }
  print_summary(ratios);
  write_json(given, {{"device", tools::device_summary(track.device())}, {"problems", results}});
  return 0;
}

}  // namespace

tools::Command winners_part() {
  return tools::make_command(
      {"winners",
       {},
       "the winners that several databases have for the same problems, side by side with cold and "
       "with warm operands",
       "DATABASE DATABASE… [options]",
       ""},
      run_winners);
}

}  // namespace tilewright::bench
