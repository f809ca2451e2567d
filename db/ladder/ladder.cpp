// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/ladder/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "db/ladder/distance.hpp"
#include "db/ladder/portable_rung.hpp"
#include "definition/architecture.hpp"
#include "definition/problem.hpp"

namespace tilewright {
namespace {

double median_of(const BestRow& row) {
  return row.trial.timing ? row.trial.timing->median_us : 0;
}

Origin origin_of(const BestRow& row) {
  if (row.shipped) return Origin::shipped;
  return row.imported ? Origin::imported : Origin::own;
}

// A stored answer with the implementation that it is of, and how far it is from the question.
struct Candidate {
  const BestRow* row = nullptr;
  const Implementation* implementation = nullptr;
  Rung rung = Rung::exact;
  double distance = 0;
  bool is_other_policy = false;

  // What is served first is least.
  auto order() const {
    return std::tuple(rung, is_doubtful(*row), distance, row->shipped, is_other_policy,
                      median_of(*row));
  }
};

// A question on a device, with what all rows are held against worked out.
struct Asked {
  const LadderQuestion& question;
  const Device& device;
  CachePolicy cache;
  std::optional<Place> place;  // none: only exact rows count
};

// The candidate without its implementation; nothing if the row says nothing of the question.
std::optional<Candidate> place(const Asked& asked, const BestRow& row) {
  const bool is_other = row.policy.cache != asked.cache;
  const bool is_here = row.device == asked.device;
  if (row.problem == asked.question.problem && is_here)
    return Candidate{&row, nullptr, is_other ? Rung::other_policy : Rung::exact, 0, is_other};
  const auto there = Place::of(*asked.question.operation, row.problem, row.device);
  if (!asked.place || !there) return std::nullopt;
  const auto distance =
      distance_between({*asked.place, asked.device}, {*there, row.device}, asked.question.farthest);
  if (!distance) return std::nullopt;
  return Candidate{&row, nullptr, is_here ? Rung::near_problem : Rung::near_device, *distance,
                   is_other};
}

const Implementation* find(const LadderQuestion& question, const std::string& name) {
  for (const Implementation* implementation : question.implementations)
    if (implementation->full_name() == name) return implementation;
  return nullptr;
}

// `reason` becomes why an exact row is passed over.
std::vector<Candidate> candidates_of(const LadderQuestion& question,
                                     const std::vector<BestRow>& rows, std::string& reason) {
  const Asked asked{question, *question.device, cache_of(question),
                    Place::of(*question.operation, question.problem, *question.device)};
  std::vector<Candidate> candidates;
  for (const BestRow& row : rows) {
    const Implementation* implementation = find(question, row.implementation);
    if (implementation == nullptr) continue;
    std::optional<Candidate> candidate = place(asked, row);
    if (!candidate) continue;
    candidate->implementation = implementation;
    if (is_passed_over(question, *implementation, row.configuration, candidate->rung)) continue;
    const bool is_exact = candidate->rung <= Rung::other_policy;
    if (row.epoch != implementation->epoch) {
      if (is_exact)
        reason = fmt::format("the stored result of {} is of another epoch", row.implementation);
    } else if (may_serve(question, *implementation, row.configuration, candidate->rung)) {
      candidates.push_back(*candidate);
    } else if (is_exact) {
      reason = fmt::format("the stored configuration of {} no longer fits its definition",
                           row.implementation);
    }
  }
  return candidates;
}

std::optional<LadderAnswer> measured_answer(const LadderQuestion& question,
                                            const std::vector<BestRow>& rows, std::string& reason) {
  const std::vector<Candidate> candidates = candidates_of(question, rows, reason);
  const auto best = std::min_element(
      candidates.begin(), candidates.end(),
      [](const Candidate& one, const Candidate& other) { return one.order() < other.order(); });
  if (best == candidates.end()) return std::nullopt;
  return LadderAnswer{best->rung, best->implementation, best->row->configuration,
                      *best->row, best->distance,       {}};
}

bool is_meant(const Override& given, const Problem& problem) {
  return std::all_of(given.problem.begin(), given.problem.end(), [&](const auto& wanted) {
    const auto value = problem.values.find(wanted.first);
    return value != problem.values.end() && value->second == wanted.second;
  });
}

std::string why_not_given(const LadderQuestion& question, const Implementation& implementation,
                          const Configuration& configuration) {
  if (is_passed_over(question, implementation, configuration, Rung::override_given)) return {};
  std::string why = why_not_on(implementation, *question.device);
  if (why.empty())
    why = fmt::format("that of {} does not fit this problem on this device",
                      implementation.full_name());
  return "override: " + why;
}

// `passed_over` becomes which are meant and do not fit.
std::optional<LadderAnswer> given_answer(const LadderQuestion& question, std::string& passed_over) {
  for (const Override& given : question.overrides) {
    const Implementation* implementation = find(question, given.implementation);
    if (implementation == nullptr || !is_meant(given, question.problem)) continue;
    if (may_serve(question, *implementation, given.configuration, Rung::override_given))
      return LadderAnswer{
          Rung::override_given, implementation, given.configuration, std::nullopt, 0, {}};
    const std::string why = why_not_given(question, *implementation, given.configuration);
    if (!why.empty() && !passed_over.empty()) passed_over += "; ";
    passed_over += why;
  }
  return std::nullopt;
}

std::optional<LadderAnswer> default_answer(const LadderQuestion& question) {
  for (const Implementation* implementation : question.implementations) {
    const Configuration configuration = default_configuration(*implementation);
    if (may_serve(question, *implementation, configuration, Rung::manifest_default))
      return LadderAnswer{
          Rung::manifest_default, implementation, configuration, std::nullopt, 0, {}};
  }
  return std::nullopt;
}

}  // namespace

bool has_its_parameters(const Implementation& implementation, const Configuration& configuration) {
  if (configuration.values.size() != implementation.parameters.size()) return false;
  return std::all_of(implementation.parameters.begin(), implementation.parameters.end(),
                     [&](const Parameter& parameter) {
                       const auto value = configuration.values.find(parameter.name);
                       if (value == configuration.values.end()) return false;
                       const auto& known = parameter.values;
                       return std::find(known.begin(), known.end(), value->second) != known.end();
                     });
}

bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device) {
  if (!has_its_parameters(implementation, configuration)) return false;
  if (!why_not_on(implementation, device).empty()) return false;
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

std::string why_not_on(const Implementation& implementation, const Device& device) {
  const std::string& required = implementation.requires_architecture;
  const std::string here = architecture_of(device);
  if (architecture_for(required, here)) return {};
  return fmt::format("{} needs {}, and this is {}", implementation.full_name(), required, here);
}

bool is_passed_over(const LadderQuestion& question, const Implementation& implementation,
                    const Configuration& configuration, Rung rung) {
  return std::ranges::any_of(question.passed_over, [&](const PassedOver& passed) {
    return passed.implementation == implementation.full_name() &&
           (passed.configuration == configuration || (passed.rung && rung <= *passed.rung));
  });
}

bool may_serve(const LadderQuestion& question, const Implementation& implementation,
               const Configuration& configuration, Rung rung) {
  if (is_passed_over(question, implementation, configuration, rung)) return false;
  if (!question.device) return true;
  return fits(implementation, configuration, question.problem, *question.device) &&
         (!question.can_serve || question.can_serve(implementation, configuration));
}

CachePolicy cache_of(const LadderQuestion& question) {
  if (question.cache) return *question.cache;
  const std::int64_t bytes = operand_bytes(*question.operation, question.problem);
  return default_cache_policy(bytes, question.device.value_or(Device{}));
}

std::optional<LadderAnswer> climb(const LadderQuestion& question, const std::vector<BestRow>& rows,
                                  const std::string& why_no_rows) {
  std::string passed_over;
  std::optional<LadderAnswer> answer = given_answer(question, passed_over);
  if (answer) {
    answer->passed_over = passed_over;
    return answer;
  }
  std::string reason = why_no_rows;
  if (reason.empty())
    reason = question.device ? "no finished sweep of this problem on " + question.device->name
                             : "no device is present and none is stored for this operation";
  if (question.device) answer = measured_answer(question, rows, reason);
  if (!answer) answer = default_answer(question);
  if (answer && answer->rung > Rung::other_policy) answer->reason = reason;
  if (answer) answer->passed_over = passed_over;
  return answer;
}

Answer answer_of(const LadderAnswer& found, const Problem& problem) {
  Answer answer;
  answer.implementation = found.implementation->full_name();
  answer.configuration = found.configuration;
  answer.problem = problem;
  answer.rung = found.rung;
  answer.distance = found.distance;
  answer.reason = found.reason;
  answer.passed_over = found.passed_over;
  if (found.portable) answer.measured_device = found.portable->device.name;
  if (!found.row) return answer;
  answer.median_us = median_of(*found.row);
  answer.measured_problem = found.row->problem;
  answer.measured_device = found.row->device.name;
  answer.policy = found.row->policy;
  answer.origin = origin_of(*found.row);
  answer.measured_at = found.row->finished;
  return answer;
}

bool is_doubtful(const BestRow& row) {
  return !row.trial.verification || (row.imported && !row.shipped);
}

std::optional<LadderAnswer> climb(const LadderQuestion& question, const RowSource& source,
                                  const std::string& why_no_rows) {
  std::vector<BestRow> rows = source.exact(question);
  auto answer = climb(question, rows, why_no_rows);
  const bool is_doubted = answer && answer->row && is_doubtful(*answer->row);
  if (!question.device || (answer && answer->rung <= Rung::exact && !is_doubted)) return answer;
  if (source.shipped) {
    for (BestRow& row : source.shipped(question)) rows.push_back(std::move(row));
    answer = climb(question, rows, why_no_rows);
  }
  if (answer && answer->rung <= Rung::other_policy) return answer;
  for (BestRow& row : source.near(question)) rows.push_back(std::move(row));
  answer = climb(question, rows, why_no_rows);
  if (!source.portable || (answer && answer->rung < Rung::portable)) return answer;
  auto portable = portable_answer(question, source.portable(question), answer);
  return portable ? portable : answer;
}

}  // namespace tilewright
