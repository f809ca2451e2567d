// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/definition/problem.hpp"

namespace tilewright {
namespace {

double median_of(const BestRow& row) {
  return row.trial.timing ? row.trial.timing->median_us : 0;
}

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

// A stored answer with the implementation that it is of.
struct Candidate {
  const BestRow* row = nullptr;
  const Implementation* implementation = nullptr;
};

// `reason` becomes why a row is passed over.
std::vector<Candidate> candidates_of(const LadderQuestion& question,
                                     const std::vector<BestRow>& rows, std::string& reason) {
  std::vector<Candidate> candidates;
  for (const BestRow& row : rows) {
    for (const Implementation* implementation : question.implementations) {
      if (implementation->full_name() != row.implementation) continue;
      if (row.epoch != implementation->epoch) {
        reason = fmt::format("the stored result of {} is of another epoch", row.implementation);
      } else if (fits(*implementation, row.configuration, question.problem, *question.device)) {
        candidates.push_back({&row, implementation});
      } else {
        reason = fmt::format("the stored configuration of {} no longer fits its definition",
                             row.implementation);
      }
      break;
    }
  }
  return candidates;
}

std::optional<LadderAnswer> fastest(const std::vector<Candidate>& candidates, CachePolicy cache,
                                    Rung rung) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.row->policy.cache != cache) continue;
    if (best == nullptr || median_of(*candidate.row) < median_of(*best->row)) best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return LadderAnswer{rung, best->implementation, best->row->configuration, *best->row, {}};
}

std::optional<LadderAnswer> measured_answer(const LadderQuestion& question,
                                            const std::vector<BestRow>& rows, std::string& reason) {
  const std::vector<Candidate> candidates = candidates_of(question, rows, reason);
  if (candidates.empty()) return std::nullopt;
  const CachePolicy usual =
      default_cache_policy(operand_bytes(*question.operation, question.problem), *question.device);
  const CachePolicy cache = question.cache.value_or(usual);
  const CachePolicy other = cache == CachePolicy::warm ? CachePolicy::cold : CachePolicy::warm;
  if (auto answer = fastest(candidates, cache, Rung::exact)) return answer;
  return fastest(candidates, other, Rung::other_policy);
}

std::optional<LadderAnswer> default_answer(const LadderQuestion& question) {
  for (const Implementation* implementation : question.implementations) {
    const Configuration configuration = default_configuration(*implementation);
    if (!question.device ||
        fits(*implementation, configuration, question.problem, *question.device))
      return LadderAnswer{Rung::manifest_default, implementation, configuration, std::nullopt, {}};
  }
  return std::nullopt;
}

}  // namespace

bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device) {
  if (!has_its_parameters(implementation, configuration)) return false;
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

std::vector<BestRow> rows_for(const LadderQuestion& question, const Store& store) {
  if (!question.device) return {};
  Query query;
  query.operation = question.operation->name;
  query.problem = question.problem;
  query.device = question.device;
  return store.best(query);
}

std::optional<LadderAnswer> climb(const LadderQuestion& question, const std::vector<BestRow>& rows,
                                  const std::string& why_no_rows) {
  std::string reason = why_no_rows;
  if (reason.empty())
    reason = question.device ? "no finished sweep of this problem on " + question.device->name
                             : "no device is present and none is stored for this operation";
  if (question.device)
    if (auto answer = measured_answer(question, rows, reason)) return answer;
  std::optional<LadderAnswer> answer = default_answer(question);
  if (answer) answer->reason = reason;
  return answer;
}

}  // namespace tilewright
