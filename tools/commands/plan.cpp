#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "campaign/prepared_sweep.hpp"
#include "campaign/sweep_report.hpp"
#include "definition/json/json.hpp"
#include "tools/input/command.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/sweep.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::tools {
namespace {

// What is planned, as a sweep would ask for it.
struct PlanRequest {
  Target target;  // `sweep` points into it
  SweepRequest sweep;
};

struct Spread {
  std::int64_t minimum = 0;
  std::int64_t median = 0;
  std::int64_t maximum = 0;
};

// What compiling part of a space showed.
struct CompileSurvey {
  std::size_t chosen = 0;
  std::size_t compiled = 0;  // without an error
  std::size_t from_cache = 0;
  std::size_t runnable = 0;  // compiled, and breaks no resource rule
  std::size_t spilling = 0;
  std::vector<Cut> cuts;  // resource rules and compile errors
  std::optional<Spread> registers;
  std::optional<Spread> blocks_per_sm;
  double seconds = 0;
};

struct PlanPart {
  const Implementation* implementation = nullptr;
  std::string unsupported;                // why it cannot run on the device; empty: it can
  std::vector<std::string> without_code;  // configurations that differ only in these share code
  Space space;
  std::optional<CompileSurvey> survey;
};

std::optional<Spread> spread_of(std::vector<std::int64_t> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return Spread{values.front(), values[values.size() / 2], values.back()};
}

// Compiles configurations of an implementation and applies the resource rules.
class Surveyor {
 public:
  Surveyor(const SweepRequest& request, const Implementation& implementation)
      : request_(request),
        implementation_(implementation),
        inspector_(request, {request.problem}) {}

  CompileSurvey run(const Configurations& legal, const std::vector<std::size_t>& chosen,
                    CompileAhead& compilers) {
    const auto start = std::chrono::steady_clock::now();
    const KernelSource source = read_source(implementation_);
    ProgressLine line;
    line.start(chosen.size(), 0);
    for (std::size_t submitted = 0, finished = 0; finished < chosen.size();) {
      for (; submitted < chosen.size() && compilers.in_flight() < compilers.depth(); ++submitted)
        compilers.submit(
            chosen[submitted],
            compile_request(request_, source, {&implementation_, legal[chosen[submitted]]}));
      const auto done = compilers.next(std::chrono::milliseconds(200));
      if (!done) continue;
      ++finished;
      judge({&implementation_, legal[done->ticket]}, done->result);
      line.step({implementation_.full_name()});
    }
    line.finish();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result_.chosen = chosen.size();
    result_.seconds = elapsed.count();
    result_.registers = spread_of(std::move(registers_));
    result_.blocks_per_sm = spread_of(std::move(blocks_));
    return std::move(result_);
  }

 private:
  void judge(const Candidate& candidate, const CompileResult& code) {
    const auto [trial, kernel] = inspector_.inspect(candidate, code);
    const std::string values = to_text(candidate.configuration.values);
    const std::string name = values.empty() ? "no parameters" : values;
    const bool is_cut = !trial.rule.empty();
    const bool has_failed = !is_cut && !kernel && trial.outcome != Outcome::duplicate;
    if (is_cut)
      add_cut(result_.cuts, {trial.rule, 1, name + ": " + trial.message});
    else if (has_failed)
      add_cut(result_.cuts,
              {std::string(to_text(trial.outcome)), 1, name + ": " + cause_of(trial.message)});
    if (trial.resources && code.ok()) ++result_.compiled;
    if (remark_violation(implementation_, code.log) || !code.ok()) return;
    if (code.from_cache) ++result_.from_cache;
    if (!trial.resources) return;
    if (!is_cut && !has_failed) ++result_.runnable;
    const std::vector<Resources> launches = resources_by_launch(
        plan_problem(request_, implementation_, candidate.configuration, request_.problem), code,
        request_.backend, request_.device);
    const Resources resources = costliest(launches);
    if (resources.registers >= 0) registers_.push_back(resources.registers);
    if (resources.blocks_per_sm >= 0) blocks_.push_back(resources.blocks_per_sm);
    if (std::ranges::any_of(launches, [](const Resources& one) { return one.spill_bytes > 0; }))
      ++result_.spilling;
  }

  const SweepRequest& request_;
  const Implementation& implementation_;
  Inspector inspector_;
  CompileSurvey result_;
  std::vector<std::int64_t> registers_;
  std::vector<std::int64_t> blocks_;
};

// The space without compiling anything.
PlanPart plan_space(const SweepRequest& request, const Implementation& implementation) {
  PlanPart part;
  part.implementation = &implementation;
  part.without_code =
      parameters_without_code(read_source(implementation), implementation, *request.operation);
  if (has_architecture(request, implementation))
    part.space = build_space(*request.operation, implementation, request.problem, request.device,
                             request.where);
  else
    part.unsupported = "needs " + implementation.requires_architecture + ", and this is " +
                       request.backend.architecture;
  return part;
}

// Compiles `wanted` of the legal configurations: a seeded choice if they are not all.
CompileSurvey survey(const SweepRequest& request, const PlanPart& part, std::size_t wanted,
                     CompileAhead& compilers) {
  const std::size_t legal = part.space.legal.size();
  const auto strategy =
      make_strategy(wanted == legal ? "exhaustive" : "random", {legal, {}, request.seed, wanted});
  std::vector<std::size_t> chosen;
  while (chosen.size() < wanted) {
    const auto more = strategy->propose(wanted - chosen.size());
    if (more.empty()) break;
    chosen.insert(chosen.end(), more.begin(), more.end());
  }
  return Surveyor(request, *part.implementation).run(part.space.legal, chosen, compilers);
}

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

void print_survey(std::ostream& out, const SweepRequest& request, const PlanPart& part) {
  const CompileSurvey& survey = *part.survey;
  const std::size_t legal = part.space.legal.size();
  out << fmt::format("  compiled {} for {}",
                     survey.chosen == legal ? "all of them"
                                            : fmt::format("{} of them, chosen with seed {},",
                                                          survey.chosen, request.seed),
                     request.backend.architecture);
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
  if (part.space.is_open) json["listed_by"] = part.implementation->routine;
  if (!part.without_code.empty()) json["parameters_without_code"] = part.without_code;
  if (!part.unsupported.empty()) json["unsupported"] = part.unsupported;
  if (part.survey) json["compile"] = json_of_survey(*part.survey);
  return json;
}

nlohmann::json json_of_plan(const SweepRequest& request, const std::vector<PlanPart>& parts) {
  return {{"operation", request.operation->name},
          {"problem", to_json(request.problem.values)},
          {"architecture", request.backend.architecture},
          {"device", device_summary(request.device)},
          {"seed", request.seed},
          {"implementations", json_list(parts, json_of_part)}};
}

void print_plan(std::ostream& out, const SweepRequest& request, const std::vector<PlanPart>& parts,
                Detail detail) {
  const Operation& operation = *request.operation;
  out << fmt::format("{} | {}, limits of {}\n", named_problem(operation, request.problem),
                     request.backend.architecture, request.device.name);
  print_dropped_options(out, operation);
  for (const PlanPart& part : parts) {
    const std::string name = part.implementation->full_name();
    if (!part.unsupported.empty()) {
      out << fmt::format("{}: {}\n", name, part.unsupported);
      continue;
    }
    if (part.space.is_open) {
      out << fmt::format(
          "{}: not known here: the foreign library {} lists the configurations when a sweep "
          "begins\n",
          name, part.implementation->routine);
      continue;
    }
    out << fmt::format("{}: {} of {}\n", name, legal_text(part.space),
                       counted(part.space.combinations, "combination"));
    print_dropped_options(out, *part.implementation);
    if (!part.without_code.empty())
      out << fmt::format("  no source mentions {}: what differs only there is compiled once\n",
                         fmt::join(part.without_code, ", "));
    const nlohmann::json cuts = cuts_of(part);
    if (!cuts.empty())
      out << "  excluded; each combination counts for the first rule that it breaks:\n";
    print_cuts(out, cuts, "  ", detail);
    if (part.survey) print_survey(out, request, part);
  }
}

struct PlanGiven : GivenPrinting {
  SearchGiven search;
  Measuring measuring;
  std::string arch;
  std::size_t compile = 0;

  void declare(Options& all) {
    all.text(arch,
             {"arch", "ARCH",
              "Architecture, such as sm_90 or sm_90a; by default that of the device present, else "
              "sm_90."});
    all.number_or_all(
        compile, std::numeric_limits<std::size_t>::max(), {},
        {"compile", "N|all",
         "Also compile this many configurations of each implementation, and the "
         "reference kernel, show what the compiler reports, and compare what kernels take "
         "with what launches pass; by default none."});
    measuring.declare_jobs(all);
    measuring.declare_compile_limits(all);
    measuring.places.declare(all, {kCache, kKernels, kLibraries});
    search.declare_filters(all);
    GivenPrinting::declare(all);
  }
};

PlanRequest read_plan_request(const PlanGiven& given) {
  PlanRequest request;
  request.target = read_target(given.words, given.measuring.places, given.search.where);
  const Operation& operation = request.target.operation();
  const auto where = read_where(given.search.where, request.target);
  // Last, so that bad input is reported before the driver is asked.
  const Device device = device_to_plan_for(given.arch);
  SweepRequest& sweep = request.sweep;
  sweep = request_for(operation, make_problem(operation, request.target.assignments, device),
                      device, {});
  sweep.backend.probe = {};  // nothing is measured
  sweep.backend.architecture =
      given.arch.empty() ? fmt::format("sm_{}", device.compute_capability) : given.arch;
  sweep.where = where;
  sweep.floor = given.search.options.floor;
  sweep.seed = given.search.options.seed;
  return request;
}

bool anything_runs(const std::vector<PlanPart>& parts) {
  return std::ranges::any_of(parts, [](const PlanPart& part) {
    const bool was_compiled = part.survey && part.survey->chosen > 0;
    return was_compiled ? part.survey->runnable > 0
                        : part.space.is_open || !part.space.legal.empty();
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

// Compiles so many of each part, and what a sweep compiles beside configurations: snippets, the
// reference kernel and those that fill.
void compile_parts(const PlanGiven& given, const SweepRequest& request,
                   std::vector<PlanPart>& parts) {
  const std::atomic<bool> never = false;
  for (const PlanPart& part : parts)
    require_kernel(*part.implementation, "prepares nothing before a sweep; leave out --compile");
  CompileProcesses compilers(worker_options(given.measuring), DeviceKind::cuda);
  CompileAhead ahead(compilers);
  submit_services(request, ahead);
  wait_for_services(request, ahead, never);
  for (PlanPart& part : parts)
    if (const std::size_t legal = part.space.legal.size(); legal > 0)
      part.survey = survey(request, part, std::min(given.compile, legal), ahead);
}

int run_plan(const PlanGiven& given) {
  const PlanRequest request = read_plan_request(given);
  std::vector<PlanPart> parts;
  for (const Implementation* implementation : request.target.implementations)
    parts.push_back(plan_space(request.sweep, *implementation));
  if (given.compile > 0 &&
      std::ranges::any_of(parts, [](const PlanPart& part) { return !part.space.legal.empty(); }))
    compile_parts(given, request.sweep, parts);
  if (given.json) {
    print_json(std::cout, json_of_plan(request.sweep, parts));
  } else {
    print_plan(std::cout, request.sweep, parts, given.detail);
    if (given.compile == 0)
      std::cout << "nothing was compiled; --compile N also shows registers, spills and blocks per "
                   "SM\n";
  }
  if (anything_runs(parts)) return kDone;
  return tell_nothing(why_nothing_runs(parts));
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
