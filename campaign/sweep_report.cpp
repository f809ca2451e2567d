#include "campaign/sweep_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "campaign/texts.hpp"
#include "db/derived/choose.hpp"
#include "tuner/sweep/devices/told_apart.hpp"

namespace tilewright {

namespace {

constexpr std::array<const char*, 7> kEndNames = {
    "finished", "time_limit", "plateau", "enough_time", "target", "interrupted", "ended_early"};

constexpr const char* kNobody = "unexplained";

// What took the most time: the device, the compilers, or one cause of lost time.
std::string bottleneck_of(const SweepClock& clock) {
  std::string name = "device";
  double most = clock.device_s;
  const auto compare = [&](const std::string& other, double seconds) {
    if (seconds <= most) return;
    name = other;
    most = seconds;
  };
  compare("compilers", clock.all_compilers_s);
  for (const auto& [activity, seconds] : clock.lost_s)
    compare(std::string(to_text(activity)), seconds);
  return name;
}

nlohmann::json json_of(const std::vector<Importance>& importance) {
  return json_list(importance, [](const Importance& item) -> nlohmann::json {
    return {{"name", item.name}, {"share", item.share}, {"low", item.low}, {"high", item.high}};
  });
}

nlohmann::json json_of(const std::vector<SimpleAnswer>& answers) {
  return json_list(answers, [](const SimpleAnswer& answer) -> nlohmann::json {
    return {{"problem", answer.problem}, {"output", answer.output}, {"answer", name_of(answer)},
            {"altered", answer.altered}, {"told", answer.told},     {"passes", answer.passes}};
  });
}

// {"name": value} of a map by activity or outcome.
nlohmann::json named(const auto& values) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [key, value] : values) json[std::string(to_text(key))] = value;
  return json;
}

nlohmann::json json_of(const SweepClock& clock, int compile_processes) {
  nlohmann::json lost = named(clock.lost_s);
  lost[kNobody] = clock.unexplained_s;
  return {{"total_s", clock.total_s},
          {"device_s", clock.device_s},
          {"all_compilers_s", clock.all_compilers_s},
          {"occupied_s", clock.occupied_s},
          {"compile_processes", compile_processes},
          {"compile_process_s", clock.compile_process_s},
          {"busy_s", named(clock.busy_s)},
          {"lost_s", lost},
          {"bottleneck", bottleneck_of(clock)}};
}

nlohmann::json json_of(const MachineRange& range) {
  return {{"minimum", range.minimum}, {"median", range.median}, {"maximum", range.maximum}};
}

nlohmann::json json_of(const MachineSummary& machine) {
  nlohmann::json json = {{"readings", machine.readings},
                         {"throttle", machine.throttle},
                         {"processes", nlohmann::json::array()},
                         {"unseen", machine.unseen}};
  if (machine.sm_mhz) json["sm_mhz"] = json_of(*machine.sm_mhz);
  if (machine.memory_mhz) json["memory_mhz"] = json_of(*machine.memory_mhz);
  if (machine.power_w) json["power_w"] = json_of(*machine.power_w);
  if (machine.power_limit_w) json["power_limit_w"] = *machine.power_limit_w;
  if (machine.temperature_c) json["temperature_c"] = json_of(*machine.temperature_c);
  for (const ForeignProcess& process : machine.processes)
    json["processes"].push_back({{"id", process.id}, {"name", process.name}});
  return json;
}

}  // namespace

std::vector<Cut> cuts_before_compile(const Space& space) {
  std::vector<Cut> cuts = space.cuts;
  cuts.insert(cuts.end(), space.limits.begin(), space.limits.end());
  return cuts;
}

nlohmann::json json_of(const std::vector<Cut>& cuts) {
  nlohmann::json json = nlohmann::json::array();
  for (const Cut& cut : cuts)
    if (cut.count > 0)
      json.push_back({{"rule", cut.rule}, {"count", cut.count}, {"example", cut.example}});
  return json;
}

namespace {

// The spaces and what ruled out the rest, by implementation. Trials that were never compiled are
// counted by their space.
nlohmann::json json_of(const PreparedSweep& sweep, const std::vector<Trial>& trials) {
  nlohmann::json json = nlohmann::json::object();
  for (std::size_t i = 0; i < sweep.spaces.size(); ++i) {
    const Space& space = sweep.spaces[i];
    const std::string name = sweep.request.implementations[i]->full_name();
    std::vector<Cut> resources;
    for (const Trial& trial : trials)
      if (trial.implementation == name && trial.outcome == Outcome::pruned && trial.resources)
        add_cut(resources,
                {trial.rule, 1, to_text(trial.configuration.values) + ": " + trial.message});
    json[name] = {{"combinations", space.combinations},
                  {"legal", space.legal.size()},
                  {"space", json_of(cuts_before_compile(space))},
                  {"resources", json_of(resources)}};
  }
  return json;
}

}  // namespace

nlohmann::json report_of(const SweepSummary& summary, const PreparedSweep& sweep,
                         const std::vector<Trial>& trials) {
  const SweepClock& clock = summary.clock;
  const double total = clock.total_s > 0 ? clock.total_s : 1;
  return {
      {"end", kEndNames.at(static_cast<std::size_t>(summary.end))},
      {kCandidates, summary.candidates},
      {"tried", summary.tried},
      {"seen", summary.seen},
      {"outcomes", named(summary.outcomes)},
      {"implementations", json_of(sweep, trials)},
      {"clock", json_of(clock, summary.compile_processes)},
      {"compiles", {{"done", summary.compiles.done}, {"from_cache", summary.compiles.from_cache}}},
      {"configurations_per_second", static_cast<double>(summary.tried) / total},
      {"drift",
       {{"readings", summary.drift.readings()},
        {"lowest", summary.drift.lowest()},
        {"highest", summary.drift.highest()},
        {"beside_anchor", summary.beside_anchor}}},
      {"final",
       {{"finalists", summary.final.finalists},
        {"rounds", summary.final.rounds},
        {"end", summary.final.end},
        {"seconds", summary.final.seconds}}},
      {"machine", json_of(summary.machine)},
      {"simple_answers", json_of(summary.simple_answers)},
      {"importance", json_of(summary.importance)},
      {"worker_restarts", summary.worker_restarts}};
}

std::vector<Trial> in_place_of_times(std::vector<Trial> trials,
                                     const std::optional<Objective>& objective) {
  if (objective)
    for (Trial& trial : trials) trial = objective->in_place_of_time(std::move(trial));
  return trials;
}

std::vector<BestRow> winners_of(const SweepRecord& record, const std::vector<Trial>& trials,
                                const std::optional<Objective>& objective) {
  std::vector<BestRow> rows;
  for (const ImplementationKey& key : record.key.implementations) {
    const std::vector<Trial> own = trials_of(trials, key.name);
    if (auto row = row_of(record, key, own, in_place_of_times(own, objective)))
      rows.push_back(std::move(*row));
  }
  const auto rank = [&](const BestRow& row) {
    return mean_time_us(objective ? objective->in_place_of_time(row.trial) : row.trial);
  };
  std::ranges::stable_sort(rows, {}, rank);
  return rows;
}

}  // namespace tilewright
