// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tilewright/error.hpp"
#include "tools/machine.hpp"
#include "tuner/measure/sampling.hpp"

namespace tilewright::tools {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

double median_of(const BestRow& row) {
  return row.trial.timing ? row.trial.timing->median_us : 0;
}

// Stored rows that answer for one of the chosen implementations, with the implementation.
struct Candidate {
  BestRow row;
  const Implementation* implementation = nullptr;
};

std::vector<Candidate> candidates_for(const Wanted& wanted, const Store& store, std::string& note) {
  Query query;
  query.operation = wanted.target.operation().name;
  query.problem = wanted.problem;
  query.device = wanted.device;
  std::vector<Candidate> candidates;
  for (BestRow& row : store.best(query)) {
    for (const Implementation* implementation : wanted.target.implementations) {
      if (implementation->full_name() != row.implementation) continue;
      if (row.epoch != implementation->epoch) {
        note = fmt::format("the stored result of {} is of an older epoch", row.implementation);
      } else if (fits(*implementation, row.configuration, wanted.problem, *wanted.device)) {
        candidates.push_back({std::move(row), implementation});
      } else {
        note = fmt::format("the stored configuration of {} no longer fits its definition",
                           row.implementation);
      }
      break;
    }
  }
  return candidates;
}

std::optional<Answer> fastest(const std::vector<Candidate>& candidates, CachePolicy policy,
                              Rung rung) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.row.policy.cache != policy) continue;
    if (best == nullptr || median_of(candidate.row) < median_of(best->row)) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return Answer{rung, best->implementation, best->row.configuration, best->row, ""};
}

std::optional<Answer> stored_answer(const Wanted& wanted, const Store& store, std::string& note) {
  const std::vector<Candidate> candidates = candidates_for(wanted, store, note);
  const CachePolicy usual = usual_cache_policy(
      operand_bytes(wanted.target.operation(), wanted.problem, *wanted.device), *wanted.device);
  const CachePolicy policy = wanted.policy.value_or(usual);
  const CachePolicy other = policy == CachePolicy::warm ? CachePolicy::cold : CachePolicy::warm;
  if (auto answer = fastest(candidates, policy, Rung::exact)) return answer;
  return fastest(candidates, other, Rung::other_policy);
}

std::optional<Answer> default_answer(const Wanted& wanted) {
  const Device device = wanted.device.value_or(Device{});
  for (const Implementation* implementation : wanted.target.implementations) {
    const Configuration configuration = default_configuration(*implementation);
    // Without a device, constraints on it cannot be judged; the default stands.
    if (!wanted.device || fits(*implementation, configuration, wanted.problem, device))
      return Answer{Rung::fallback, implementation, configuration, std::nullopt, ""};
  }
  return std::nullopt;
}

}  // namespace

std::string to_text(Rung rung) {
  switch (rung) {
    case Rung::exact:
      return "exact";
    case Rung::other_policy:
      return "other policy";
    case Rung::fallback:
      return "default";
  }
  return "";
}

bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device) {
  if (configuration.values.size() != implementation.parameters.size()) return false;
  for (const Parameter& parameter : implementation.parameters) {
    const auto value = configuration.values.find(parameter.name);
    if (value == configuration.values.end()) return false;
    const auto& known = parameter.values;
    if (value->second != parameter.default_value &&
        std::find(known.begin(), known.end(), value->second) == known.end())
      return false;
  }
  const Scope scope = full_scope(problem, configuration, device);
  return std::all_of(implementation.constraints.begin(), implementation.constraints.end(),
                     [&](const Constraint& constraint) {
                       try {
                         return constraint.require.is_true(scope);
                       } catch (const ExpressionError&) {
                         return false;
                       }
                     });
}

std::optional<Answer> look_up(const Wanted& wanted, const Store* store) {
  std::string note = "there is no database yet";
  if (store != nullptr) {
    note = wanted.device ? "no finished sweep of this problem on " + wanted.device->name
                         : "no device is present and none is stored for this operation";
    if (wanted.device)
      if (auto answer = stored_answer(wanted, *store, note)) return answer;
  }
  std::optional<Answer> answer = default_answer(wanted);
  if (answer) answer->note = note;
  return answer;
}

std::optional<Device> wanted_device(const Arguments& arguments, const std::string& operation,
                                    const Store* store) {
  const auto given = arguments.text("device");
  if (given && (*given == "host" || *given == "cuda" || given->starts_with("cuda:")))
    return find_device(*given).device;
  const Device present = given ? Device{} : default_device().device;
  if (!given && (present.kind != "host" || store == nullptr)) return present;
  if (store == nullptr) return std::nullopt;
  Query query;
  query.operation = operation;
  std::vector<Device> devices;
  for (const BestRow& row : store->best(query)) {
    const bool is_named = !given || lower(row.device.name).find(lower(*given)) != std::string::npos;
    if (is_named && std::find(devices.begin(), devices.end(), row.device) == devices.end())
      devices.push_back(row.device);
  }
  if (std::find(devices.begin(), devices.end(), present) != devices.end()) return present;
  if (devices.size() == 1) return devices.front();
  if (devices.empty()) {
    if (given)
      throw InputError(
          fmt::format("--device '{}': no stored device of {} has that in its "
                      "name",
                      *given, operation));
    return present;
  }
  std::string names;
  for (const Device& device : devices)
    names += fmt::format("{}'{}{}'", names.empty() ? "" : ", ", device.name,
                         device.partition.empty() ? "" : " " + device.partition);
  throw InputError(
      fmt::format("results of several devices are stored ({}); choose one with "
                  "--device and a part of its name",
                  names));
}

}  // namespace tilewright::tools
