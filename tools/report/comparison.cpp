#include "tools/report/comparison.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "db/records/device_name.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "tools/report/sweep_document.hpp"
#include "tools/report/trial_columns.hpp"

namespace tilewright::tools {
namespace {

// A problem that was tuned on a device under a policy.
struct TunedSubject {
  std::string operation;
  Device device;
  const LossTable* losses = nullptr;
  std::size_t problem = 0;  // into the losses

  const TunedProblem& tuned() const { return losses->problems[problem]; }
  const TriedConfiguration& winner() const { return losses->configurations[tuned().winner]; }
};

std::vector<Device> devices_with(const Store& store, const std::string& operation) {
  std::vector<Device> devices;
  Query query;
  query.operation = operation;
  for (const BestRow& row : store.best(query))
    if (std::find(devices.begin(), devices.end(), row.device) == devices.end())
      devices.push_back(row.device);
  return devices;
}

// How much longer than b's winner the winner of `a` takes there; nothing if it has no time there.
std::optional<double> ratio_at(const TunedSubject& a, const TunedSubject& b) {
  const TriedConfiguration& wanted = a.winner();
  const auto& tried = b.losses->configurations;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].implementation != wanted.implementation || tried[i].epoch != wanted.epoch ||
        tried[i].configuration != wanted.configuration)
      continue;
    for (const TimedPair& pair : b.losses->times[i])
      if (pair.problem == b.problem) return pair.ratio;
  }
  return std::nullopt;
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
      {"policy", short_text(to_text(tuned.policy))},
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

}  // namespace

nlohmann::json comparison_of(const Store& store, const std::vector<std::string>& operations,
                             const Library& library) {
  std::vector<std::unique_ptr<LossTable>> tables;
  std::vector<TunedSubject> subjects;
  std::size_t left_out = 0;
  for (const std::string& operation : operations) {
    for (const Device& device : devices_with(store, operation)) {
      tables.push_back(std::make_unique<LossTable>(store.losses(operation, device)));
      const LossTable& losses = *tables.back();
      for (std::size_t i = 0; i < losses.problems.size(); ++i)
        if (subjects.size() < kMostSubjects)
          subjects.push_back({operation, device, &losses, i});
        else
          ++left_out;
    }
  }
  nlohmann::json shown = nlohmann::json::array();
  for (const TunedSubject& subject : subjects) shown.push_back(subject_json(subject, library));
  return {
      {"subjects", std::move(shown)}, {"ratios", ratios_json(subjects)}, {"left_out", left_out}};
}

}  // namespace tilewright::tools
