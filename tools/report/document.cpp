#include "tools/report/report.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "db/records/device_name.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "tilewright/version.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {
namespace {

std::string key_of(const TriedConfiguration& tried) {
  return fmt::format("{}\n{}\n{}", tried.implementation, tried.epoch, tried.configuration);
}

// All times of an operation on a device, and where those of a configuration are.
struct FoundTimes {
  explicit FoundTimes(LossTable table) : losses(std::move(table)) {
    for (std::size_t i = 0; i < losses.configurations.size(); ++i)
      places.emplace(key_of(losses.configurations[i]), i);
  }

  LossTable losses;
  std::unordered_map<std::string, std::size_t> places;
};

// A problem that was tuned on a device under a policy.
struct TunedSubject {
  std::string operation;
  Device device;
  const FoundTimes* times = nullptr;
  std::size_t problem = 0;  // into the losses

  const TunedProblem& tuned() const { return times->losses.problems[problem]; }
  const TriedConfiguration& winner() const { return times->losses.configurations[tuned().winner]; }
};

std::vector<Device> devices_with(const Store& store, const std::string& operation) {
  std::vector<Device> devices;
  for (const DeviceKind kind : kDeviceKinds)
    for (const Device& device : store.subjects(operation, kind).devices)
      add_device(devices, device);
  return devices;
}

// How much longer than b's winner the winner of `a` takes there; nothing if it has no time there.
std::optional<double> ratio_at(const TunedSubject& a, const TunedSubject& b) {
  const auto place = b.times->places.find(key_of(a.winner()));
  if (place == b.times->places.end()) return std::nullopt;
  const std::vector<TimedPair>& pairs = b.times->losses.times[place->second];
  const auto pair = std::ranges::lower_bound(pairs, b.problem, {}, &TimedPair::problem);
  if (pair == pairs.end() || pair->problem != b.problem) return std::nullopt;
  return pair->ratio;
}

bool are_compared(const TunedSubject& a, const TunedSubject& b) {
  if (a.operation != b.operation) return false;
  if (a.device == b.device)
    return a.tuned().policy == b.tuned().policy && a.tuned().problem != b.tuned().problem;
  return a.tuned().problem == b.tuned().problem;
}

nlohmann::json subject_json(const TunedSubject& subject, const Library& library) {
  const TunedProblem& tuned = subject.tuned();
  const TriedConfiguration& winner = subject.winner();
  return {
      {"operation", short_text(subject.operation)},
      {"problem", problem_title(tuned.problem, library)},
      {"device", short_text(full_name(subject.device))},
      {"policy", short_text(policy_text(tuned.policy))},
      {"implementation", short_text(winner.implementation)},
      {"configuration", settings_pairs(settings_from_json(parse_document(winner.configuration)))},
      {"time_us", short_number(tuned.best_us)}};
}

nlohmann::json ratios_json(const std::vector<TunedSubject>& subjects) {
  nlohmann::json ratios = nlohmann::json::array();
  for (std::size_t a = 0; a < subjects.size(); ++a)
    for (std::size_t b = 0; b < subjects.size(); ++b)
      if (a != b && are_compared(subjects[a], subjects[b]))
        if (const auto ratio = ratio_at(subjects[a], subjects[b]))
          ratios.push_back({a, b, short_number(*ratio)});
  return ratios;
}

// The stored answers of these operations, and how their winners do elsewhere:
//   subjects  the winner of each problem, device and policy
//   ratios    [a, b, ratio]: the configuration of subject a takes `ratio` times as long as the
//             winner of subject b, if it is measured there. The two are of one operation and differ
//             either in the device (and perhaps the policy) or in the problem alone.
// Of more than kMostSubjects subjects the first are shown; "left_out" counts the others.
constexpr std::size_t kMostSubjects = 400;
nlohmann::json comparison_of(const Store& store, const std::vector<std::string>& operations,
                             const Library& library) {
  std::vector<std::unique_ptr<FoundTimes>> tables;
  std::vector<TunedSubject> subjects;
  std::size_t left_out = 0;
  for (const std::string& operation : operations) {
    for (const Device& device : devices_with(store, operation)) {
      tables.push_back(std::make_unique<FoundTimes>(store.losses(operation, device)));
      const FoundTimes& times = *tables.back();
      for (std::size_t i = 0; i < times.losses.problems.size(); ++i)
        if (subjects.size() < kMostSubjects)
          subjects.push_back({operation, device, &times, i});
        else
          ++left_out;
    }
  }
  const auto json_of_subject = [&](const TunedSubject& one) { return subject_json(one, library); };
  return {{"subjects", json_list(subjects, json_of_subject)},
          {"ratios", ratios_json(subjects)},
          {"left_out", left_out}};
}

struct Matching {
  std::vector<SweepRecord> newest;  // the newest first
  std::size_t older = 0;
};

Matching matching_sweeps(const Store& store, const ReportRequest& request) {
  std::vector<Query> queries = request.queries;
  if (queries.empty()) queries.emplace_back();
  for (Query& query : queries) query.uuid = request.sweep;
  std::vector<SweepRecord> newest = store.newest_sweeps(queries, request.most_sweeps);
  if (!request.sweep.empty()) return {{find_sweep(store, newest, "sweep", request.sweep)}, 0};
  const std::size_t all = store.count_sweeps(queries);
  return {std::move(newest), all - std::min(all, request.most_sweeps)};
}

}  // namespace

nlohmann::json report_document(const Store& store, const ReportRequest& request,
                               const Library& library) {
  nlohmann::json sweeps = nlohmann::json::array();
  std::vector<std::string> operations;
  std::size_t trials = 0;
  Matching matching = matching_sweeps(store, request);
  std::size_t left_out = matching.older;
  for (SweepRecord& record : matching.newest) {
    Store::Imported sweep{std::move(record), {}};
    sweep.trials = store.trials(sweep.sweep.id);
    if (sweep.trials.empty()) continue;
    if (trials > 0 && trials + sweep.trials.size() > request.most_trials) {
      ++left_out;
      continue;
    }
    trials += sweep.trials.size();
    const std::string& operation = sweep.sweep.key.operation;
    if (std::find(operations.begin(), operations.end(), operation) == operations.end())
      operations.push_back(operation);
    sweeps.push_back(sweep_document(sweep, library));
  }
  if (sweeps.empty()) return nullptr;
  return {{"tool", kVersion},
          {"source", short_text(request.source)},
          {"sweeps", std::move(sweeps)},
          {"left_out", left_out},
          {"comparison", comparison_of(store, operations, library)}};
}

}  // namespace tilewright::tools
