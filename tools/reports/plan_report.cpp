// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <ostream>

#include "definition/json/json.hpp"
#include "tools/print/cuts.hpp"
#include "tools/print/report.hpp"
#include "tools/work/plan_survey.hpp"

namespace tilewright::tools {
namespace {

nlohmann::json json_of_spread(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"minimum", spread->minimum}, {"median", spread->median}, {"maximum", spread->maximum}};
}

double rate(const CompileSurvey& survey) {
  const std::size_t fresh = survey.chosen - survey.from_cache;
  return survey.seconds > 0 ? static_cast<double>(fresh) / survey.seconds : 0;
}

nlohmann::json json_of_survey(const CompileSurvey& survey) {
  return {{"chosen", survey.chosen},
          {"compiled", survey.compiled},
          {"from_cache", survey.from_cache},
          {"runnable", survey.runnable},
          {"spilling", survey.spilling},
          {"cuts", json_of(survey.cuts)},
          {"registers", json_of_spread(survey.registers)},
          {"blocks_per_sm", json_of_spread(survey.blocks_per_sm)},
          {"seconds", survey.seconds},
          {"compiles_per_second", rate(survey)}};
}

std::string text_of(const Spread& spread) {
  return fmt::format("{} to {}, median {}", spread.minimum, spread.maximum, spread.median);
}

void print_survey(std::ostream& out, const PlanRequest& request, const PlanPart& part) {
  const CompileSurvey& survey = *part.survey;
  const std::size_t legal = part.space.legal.size();
  out << fmt::format("  compiled {} for {}",
                     survey.chosen == legal ? "all of them"
                                            : fmt::format("{} of them, chosen with seed {},",
                                                          survey.chosen, request.seed),
                     request.architecture);
  out << fmt::format(" in {}", duration_text(survey.seconds));
  if (survey.from_cache > 0) out << fmt::format(", {} from the cache", survey.from_cache);
  if (survey.chosen > survey.from_cache) out << fmt::format(", {:.1f} a second", rate(survey));
  out << '\n';
  print_cuts(out, survey.cuts, "    ");
  if (survey.registers) out << "  registers a thread: " << text_of(*survey.registers) << '\n';
  if (survey.blocks_per_sm) out << "  blocks per SM: " << text_of(*survey.blocks_per_sm) << '\n';
  if (survey.spilling > 0) out << fmt::format("  {} spill registers\n", survey.spilling);
  out << fmt::format("  {} of {} can run\n", survey.runnable, survey.chosen);
}

}  // namespace

nlohmann::json json_of(const PlanRequest& request, const std::vector<PlanPart>& parts) {
  nlohmann::json list = nlohmann::json::array();
  for (const PlanPart& part : parts) {
    nlohmann::json json = {{"implementation", part.implementation->full_name()},
                           {"combinations", part.space.combinations},
                           {"satisfying", part.space.satisfying},
                           {"legal", part.space.legal.size()},
                           {"cuts", json_of(cuts_before_compile(part.space))}};
    if (!part.unsupported.empty()) json["unsupported"] = part.unsupported;
    if (part.survey) json["compile"] = json_of_survey(*part.survey);
    list.push_back(std::move(json));
  }
  return {{"operation", request.target.operation().name},
          {"problem", to_json(request.problem.values)},
          {"architecture", request.architecture},
          {"device", device_summary(request.device)},
          {"seed", request.seed},
          {"implementations", list}};
}

void print_plan(std::ostream& out, const PlanRequest& request, const std::vector<PlanPart>& parts) {
  out << fmt::format("{} {} for {}, limits of {}\n", request.target.operation().name,
                     problem_text(request.target.operation(), request.problem),
                     request.architecture, request.device.name);
  for (const PlanPart& part : parts) {
    out << '\n' << part.implementation->full_name() << '\n';
    if (!part.unsupported.empty()) {
      out << "  unsupported: " << part.unsupported << '\n';
      continue;
    }
    out << fmt::format("  {}\n", counted(part.space.combinations, "combination", "combinations"));
    print_cuts(out, cuts_before_compile(part.space), "    ");
    out << "  " << legal_text(part.space) << '\n';
    if (part.survey) print_survey(out, request, part);
  }
}

}  // namespace tilewright::tools
