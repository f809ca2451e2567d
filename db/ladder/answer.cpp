#include <array>
#include <cstddef>

#include "db/ladder/ladder.hpp"

namespace tilewright {

std::string to_text(Rung rung) {
  constexpr std::array kNames = {
      "override",    "",         "exact",   "other policy", "near problem",
      "near device", "portable", "default", "none"};
  return kNames.at(static_cast<std::size_t>(rung));
}

std::string to_text(Origin origin) {
  constexpr std::array kNames = {"own", "imported", "shipped"};
  return kNames.at(static_cast<std::size_t>(origin));
}

bool accepts(Require require, Rung rung) {
  switch (require) {
    case Require::exact:
      return rung <= Rung::exact;
    case Require::device:
      return rung <= Rung::near_problem;
    case Require::any:
      return rung < Rung::none;
  }
  return false;
}

Answer answer_of(const LadderAnswer& found, const Problem& problem) {
  Answer answer;
  answer.implementation = found.implementation->full_name();
  answer.configuration = found.configuration;
  answer.problem = problem;
  answer.rung = found.rung;
  answer.distance = found.distance;
  answer.reason = found.reason;
  answer.passed_over = found.unfit_overrides;
  if (found.portable) answer.measured_device = found.portable->device.name;
  if (!found.row) return answer;
  const BestRow& row = *found.row;
  answer.median_us = row.trial.timing ? row.trial.timing->median_us : 0;
  answer.measured_problem = row.problem;
  answer.measured_device = row.device.name;
  answer.policy = row.policy;
  answer.origin = row.shipped ? Origin::shipped : row.imported ? Origin::imported : Origin::own;
  answer.measured_at = row.finished;
  return answer;
}

}  // namespace tilewright
