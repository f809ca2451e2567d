#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <limits>

#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/sweep_details.hpp"
#include "tools/print/text.hpp"
#include "tools/run/plan_survey.hpp"
#include "tuner/sweep/prepare/services.hpp"

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
  if (survey.chosen > survey.from_cache) out << fmt::format(", {:.1f} per second", rate(survey));
  out << '\n';
  print_cuts(out, json_of(survey.cuts), "    ", Detail::full);
  if (survey.registers) out << "  registers per thread: " << text_of(*survey.registers) << '\n';
  if (survey.blocks_per_sm) out << "  blocks per SM: " << text_of(*survey.blocks_per_sm) << '\n';
  if (survey.spilling > 0)
    out << fmt::format("  {} {} registers\n", survey.spilling,
                       survey.spilling == 1 ? "spills" : "spill");
  out << fmt::format("  {} of {} can run\n", survey.runnable, survey.chosen);
}

// With the formula of each constraint.
nlohmann::json cuts_of(const PlanPart& part) {
  nlohmann::json cuts = json_of(cuts_before_compile(part.space));
  for (nlohmann::json& cut : cuts)
    for (const Constraint& constraint : part.implementation->constraints)
      if (!constraint.why.empty() && cut["rule"] == constraint.why)
        cut["require"] = constraint.require.text();
  return cuts;
}

nlohmann::json json_of_part(const PlanPart& part) {
  nlohmann::json json = {{"implementation", part.implementation->full_name()},
                         {"combinations", part.space.combinations},
                         {"satisfying", part.space.satisfying},
                         {"legal", part.space.legal.size()},
                         {"cuts", cuts_of(part)}};
  if (!part.unsupported.empty()) json["unsupported"] = part.unsupported;
  if (part.survey) json["compile"] = json_of_survey(*part.survey);
  return json;
}

nlohmann::json json_of_plan(const PlanRequest& request, const std::vector<PlanPart>& parts) {
  return {{"operation", request.target.operation().name},
          {"problem", to_json(request.problem.values)},
          {"architecture", request.architecture},
          {"device", device_summary(request.device)},
          {"seed", request.seed},
          {"implementations", json_list(parts, json_of_part)}};
}

void print_plan(std::ostream& out, const PlanRequest& request, const std::vector<PlanPart>& parts,
                Detail detail) {
  const Operation& operation = request.target.operation();
  out << fmt::format("{} | {}, limits of {}\n",
                     named_problem(operation.name, problem_text(operation, request.problem)),
                     request.architecture, request.device.name);
  for (const PlanPart& part : parts) {
    const std::string name = part.implementation->full_name();
    if (!part.unsupported.empty()) {
      out << fmt::format("{}: {}\n", name, part.unsupported);
      continue;
    }
    out << fmt::format("{}: {} of {}\n", name, legal_text(part.space),
                       counted(part.space.combinations, "combination"));
    if (const auto& dropped = part.implementation->dropped_options; !dropped.empty())
      out << fmt::format("  options without effect: {}\n", fmt::join(dropped, " "));
    const nlohmann::json cuts = cuts_of(part);
    if (!cuts.empty())
      out << "  excluded; each combination counts for the first rule that it breaks:\n";
    print_cuts(out, cuts, "  ", detail);
    if (part.survey) print_survey(out, request, part);
  }
  if (request.compile == 0)
    out << "nothing was compiled; --compile N also shows registers, spills and blocks per SM\n";
}

struct PlanGiven : GivenWords {
  SearchGiven search;
  Measuring measuring;
  std::string arch;
  std::size_t compile = 0;
  Detail detail = Detail::brief;
  bool json = false;

  void declare(Options& all) {
    all.text(arch,
             {"arch", "ARCH",
              "Architecture, such as sm_90 or sm_90a; by default that of the device present, else "
              "sm_90."});
    all.number_or_all(compile, std::numeric_limits<std::size_t>::max(), {},
                      {"compile", "N|all",
                       "Also compile this many configurations of each implementation, and the "
                       "reference kernel, and show what the compiler reports; by default none."});
    measuring.declare_jobs(all);
    measuring.declare_compile_limits(all);
    measuring.places.declare(all, {kCache, kKernels});
    search.declare_filters(all);
    all.flag(detail, Detail::full, kVerboseOption);
    all.flag(json, kJsonOption);
  }
};

PlanRequest read_plan_request(const PlanGiven& given) {
  PlanRequest request;
  request.target = read_target(given.words, given.measuring.places, given.search.where);
  request.where = read_where(given.search.where, request.target);
  request.floor = given.search.options.floor;
  request.seed = given.search.options.seed;
  request.compile = given.compile;
  // Last, so that bad input is reported before the driver is asked.
  request.device = device_to_plan_for(given.arch);
  request.architecture =
      given.arch.empty() ? fmt::format("sm_{}", request.device.compute_capability) : given.arch;
  request.problem =
      make_problem(request.target.operation(), request.target.assignments, request.device);
  return request;
}

bool anything_runs(const std::vector<PlanPart>& parts) {
  return std::ranges::any_of(parts, [](const PlanPart& part) {
    const bool was_compiled = part.survey && part.survey->chosen > 0;
    return was_compiled ? part.survey->runnable > 0 : !part.space.legal.empty();
  });
}

const char* why_nothing_runs(const std::vector<PlanPart>& parts) {
  std::size_t chosen = 0;
  std::size_t compiled = 0;
  for (const PlanPart& part : parts) {
    if (!part.survey) continue;
    chosen += part.survey->chosen;
    compiled += part.survey->compiled;
  }
  if (chosen == 0) return "no configuration is legal for this problem on this device";
  if (compiled == 0) return "every compile failed";
  return "no configuration that was compiled can run";
}

// What a sweep compiles beside configurations: snippets, the reference kernel and those that fill.
SweepRequest request_of_services(const PlanRequest& request) {
  SweepRequest shared;
  shared.operation = &request.target.operation();
  shared.problem = request.problem;
  shared.device = request.device;
  shared.backend.architecture = request.architecture;
  return shared;
}

int run_plan(const PlanGiven& given) {
  const PlanRequest request = read_plan_request(given);
  std::vector<PlanPart> parts;
  std::size_t to_compile = 0;
  for (const Implementation* implementation : request.target.implementations) {
    parts.push_back(plan_space(request, *implementation));
    to_compile += compile_count(request, parts.back().space.legal.size());
  }
  if (to_compile > 0) {
    CompileProcesses compilers(worker_options(given.measuring), DeviceKind::cuda);
    CompileAhead ahead(compilers);
    const std::atomic<bool> never = false;
    const SweepRequest shared = request_of_services(request);
    submit_services(shared, ahead);
    wait_for_services(shared, ahead, never);
    for (PlanPart& part : parts)
      if (!part.space.legal.empty()) part.survey = survey(request, part, compilers);
  }
  if (given.json) {
    print_json(std::cout, json_of_plan(request, parts));
  } else {
    print_plan(std::cout, request, parts, given.detail);
  }
  if (anything_runs(parts)) return kDone;
  std::cerr << why_nothing_runs(parts) << '\n';
  return kNothing;
}

}  // namespace

Command plan_command() {
  return make_command(
      {"plan", Purpose::tune,
       "Count what a sweep could try, and what excludes the rest. Needs no device.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
       "  tilewright plan gemm/tiled M=4096 N=4096 K=4096 --arch sm_90\n"
       "  tilewright plan gemm M=N=K=1024 --where 'BLOCK_X >= 16' --compile 50 --json\n"},
      run_plan);
}

}  // namespace tilewright::tools
