#include "tools/run/plan_survey.hpp"

#include <algorithm>
#include <chrono>

#include "campaign/sweep_report.hpp"
#include "campaign/texts.hpp"
#include "tilewright/error.hpp"
#include "tools/print/progress.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/prepare/inspector.hpp"

namespace tilewright::tools {
namespace {

std::optional<Spread> spread_of(std::vector<std::int64_t> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Spread{values.front(), values[values.size() / 2], values.back()};
}

// Submits the chosen configurations, a few ahead of the compilers, and judges the results.
class Surveyor {
 public:
  Surveyor(const PlanRequest& request, const PlanPart& part, CompileQueue& compilers)
      : request_(request),
        implementation_(*part.implementation),
        legal_(part.space.legal),
        compilers_(compilers),
        source_(read_source(implementation_)),
        architecture_(
            architecture_for(implementation_, request.architecture).value_or(request.architecture)),
        facts_(backend_of(request.device.kind).facts(request.device)) {}

  CompileSurvey run(const std::vector<std::size_t>& chosen) {
    const auto start = std::chrono::steady_clock::now();
    result_.chosen = chosen.size();
    line_.start(chosen.size(), 0);
    const std::size_t ahead = 4 * static_cast<std::size_t>(compilers_.processes());
    std::size_t submitted = 0;
    for (std::size_t finished = 0; finished < chosen.size();) {
      for (; submitted < chosen.size() && submitted < finished + ahead; ++submitted)
        submit(chosen[submitted]);
      const auto done = compilers_.next(std::chrono::milliseconds(200));
      if (!done) continue;
      ++finished;
      judge(done->ticket, done->result);
      line_.step({implementation_.full_name()});
    }
    line_.finish();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result_.seconds = elapsed.count();
    result_.registers = spread_of(std::move(registers_));
    result_.blocks_per_sm = spread_of(std::move(blocks_));
    return std::move(result_);
  }

 private:
  // `configuration` must outlive the scope.
  Scope scope_of(const Configuration& configuration) const {
    return full_scope(request_.problem, configuration, request_.device);
  }

  void submit(std::size_t index) {
    const Configuration configuration = legal_[index];
    compilers_.submit(index,
                      make_compile_request(source_, implementation_, request_.target.operation(),
                                           request_.problem, configuration, scope_of(configuration),
                                           architecture_));
  }

  void fail(Outcome outcome, const std::string& name, const std::string& why) {
    count_cut(result_.cuts, std::string(to_text(outcome)), name + ": " + cause_of(why));
  }

  void judge(std::size_t index, const CompileResult& code) {
    const Configuration configuration = legal_[index];
    const std::string values = to_text(configuration.values);
    const std::string name = values.empty() ? "no parameters" : values;
    if (const auto remark = remark_violation(implementation_, code.log)) {
      if (code.ok()) ++result_.compiled;
      count_cut(result_.cuts, remark->rule, name + ": " + remark->message);
      return;
    }
    if (!code.ok()) {
      fail(code.outcome, name, code.log);
      return;
    }
    if (code.from_cache) ++result_.from_cache;
    const LaunchPlan plan =
        plan_launches(request_.target.operation(), implementation_, scope_of(configuration));
    if (const auto failure = missing_entry_failure(plan, code)) {
      fail(failure->outcome, name, failure->message);
      return;
    }
    ++result_.compiled;
    const std::vector<Resources> launches =
        resources_by_launch(plan, code, facts_, request_.device);
    const Resources resources = costliest(launches);
    if (resources.registers >= 0) registers_.push_back(resources.registers);
    if (resources.blocks_per_sm >= 0) blocks_.push_back(resources.blocks_per_sm);
    if (std::any_of(launches.begin(), launches.end(),
                    [](const Resources& launch) { return launch.spill_bytes > 0; }))
      ++result_.spilling;
    for (const Resources& launch : launches) {
      const auto broken = resource_violation(launch, request_.device, request_.floor);
      if (!broken) continue;
      count_cut(result_.cuts, broken->rule, name + ": " + broken->message);
      return;
    }
    ++result_.runnable;
  }

  const PlanRequest& request_;
  const Implementation& implementation_;
  const Configurations& legal_;
  CompileQueue& compilers_;
  KernelSource source_;
  std::string architecture_;
  BackendFacts facts_;
  ProgressLine line_;
  CompileSurvey result_;
  std::vector<std::int64_t> registers_;
  std::vector<std::int64_t> blocks_;
};

}  // namespace

PlanPart plan_space(const PlanRequest& request, const Implementation& implementation) {
  PlanPart part;
  part.implementation = &implementation;
  if (!architecture_for(implementation, request.architecture)) {
    part.unsupported =
        "needs " + implementation.requires_architecture + ", and this is " + request.architecture;
    return part;
  }
  part.space = build_space(request.target.operation(), implementation, request.problem,
                           request.device, request.where);
  return part;
}

std::size_t compile_count(const PlanRequest& request, std::size_t legal) {
  return std::min(request.compile, legal);
}

CompileSurvey survey(const PlanRequest& request, const PlanPart& part, CompileQueue& compilers) {
  const std::size_t legal = part.space.legal.size();
  const std::size_t wanted = compile_count(request, legal);
  const auto strategy =
      make_strategy(wanted == legal ? "exhaustive" : "random", {legal, {}, request.seed, wanted});
  std::vector<std::size_t> chosen;
  while (chosen.size() < wanted) {
    const auto more = strategy->propose(wanted - chosen.size());
    if (more.empty()) break;
    chosen.insert(chosen.end(), more.begin(), more.end());
  }
  return Surveyor(request, part, compilers).run(chosen);
}

}  // namespace tilewright::tools
