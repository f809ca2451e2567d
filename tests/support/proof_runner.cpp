#include "tests/support/proof_runner.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <utility>

#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/devices/told_apart.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::test {
namespace {

constexpr std::uint64_t kSeed = 20260101;

// Fails the test with the compiler's log.
CompileResult compile(const CompileRequest& request, Compiler& compiler) {
  CompileResult result = compiler.compile(request);
  EXPECT_TRUE(result.ok()) << request.source_name << ":\n" << result.log;
  return result;
}

// A sweep of the problem is not refused. docs/benchmarks/checks.md says of which it warns.
void expect_check(const std::vector<SimpleAnswer>& answers, const Operation& operation) {
  EXPECT_FALSE(answers.empty());
  EXPECT_NO_THROW(require_told_apart(answers, operation));
}

}  // namespace

SessionPlan compiled_session(const SweepRequest& request, const std::vector<Problem>& problems,
                             Compiler& compiler) {
  const bool has_kernel = request.operation->reference.builtin.empty();
  const CompileResult reference =
      has_kernel ? compile(reference_request(request), compiler) : CompileResult{};
  CompileResult probe;
  if (request.backend.probe) probe = compile(*request.backend.probe, compiler);
  FillCode fills;
  for (const auto& [argument, fill] : fill_requests(request))
    fills.emplace(argument, compile(fill, compiler));
  return plan_session(request, problems, reference, probe.code, fills);
}

std::vector<Family> with_each_snippet(const Family& family, std::vector<Snippet> snippets) {
  Snippet identity;
  identity.name = "identity";
  identity.hook = "epilogue";
  identity.code = "return value;";
  snippets.push_back(identity);
  if (family.operation.name != "gemm")  // they fit all operations, and those with a bias say more
    std::erase_if(snippets,
                  [](const Snippet& one) { return one.name == "relu" || one.name == "gelu"; });
  std::vector<Family> families;
  for (const Snippet& snippet : snippets) try {
      families.push_back(with_snippet(family, snippet));
    } catch (const InputError&) {
      continue;  // it needs a coordinate that the operation does not have
    }
  return families;
}

ProofRunner::ProofRunner(const Family& family, const Implementation& implementation,
                         ProofBench bench)
    : bench_(std::move(bench)),
      implementation_(implementation),
      source_(read_source(implementation)) {
  request_.implementations = {&implementation};
  request_.operation = &family.operation;
  request_.device = bench_.device;
  request_.backend = bench_.backend;
}

void ProofRunner::open(const std::vector<std::string>& assignments) {
  request_.problem = make_problem(*request_.operation, assignments, request_.device);
  problems_ = problems_to_verify(request_);
  bench_.session->open(compiled_session(request_, problems_, *bench_.compiler));
  expect_check(bench_.session->simple_answers(), *request_.operation);
}

std::vector<Configuration> ProofRunner::sample(std::size_t count, const std::string& where) const {
  const Configurations all = build_space(*request_.operation, implementation_, request_.problem,
                                         request_.device, Expression::parse(where))
                                 .legal;
  EXPECT_FALSE(all.empty()) << implementation_.full_name() << " where " << where;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(kSeed);
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random() % left]);
  if (const auto standard = all.find(default_configuration(implementation_)))
    std::iter_swap(order.begin(), std::ranges::find(order, *standard));
  if (order.size() > count) order.resize(count);
  std::vector<Configuration> chosen;
  for (const std::size_t index : order) chosen.push_back(all[index]);
  return chosen;
}

bool ProofRunner::is_legal(const Configuration& configuration) const {
  const Scope scope = full_scope(request_.problem, configuration, request_.device);
  return std::ranges::all_of(implementation_.constraints,
                             [&](const Constraint& rule) { return rule.require.is_true(scope); }) &&
         !static_violation(implementation_,
                           plan_problem(request_, implementation_, configuration, request_.problem),
                           scope, request_.device);
}

const CompileResult& ProofRunner::compiled(const Configuration& configuration) {
  const Scope scope = full_scope(request_.problem, configuration, request_.device);
  const auto architecture = architecture_for(implementation_, request_.backend.architecture);
  const CompileRequest request =
      make_compile_request(source_, implementation_, *request_.operation, request_.problem,
                           configuration, scope, architecture.value());
  std::string key;
  for (const std::string& option : request.options) key += option + '\n';
  for (const CompileRequest& unit : request.units)
    for (const std::string& option : unit.options) key += option + '\n';
  const auto found = compiled_.find(key);
  if (found != compiled_.end()) return found->second;
  return compiled_.emplace(key, compile(request, *bench_.compiler)).first->second;
}

void ProofRunner::prove(const Configuration& configuration) {
  const std::string label = implementation_.full_name() + " on " +
                            tilewright::to_text(request_.problem.values) + " with " +
                            tilewright::to_text(configuration.values);
  SCOPED_TRACE(label);
  const CompileResult& code = compiled(configuration);
  if (!code.ok()) return;  // has failed the test
  const KernelPlan kernel = plan_kernel(request_, implementation_, configuration, problems_, code);
  const std::vector<Resources> launches =
      resources_by_launch(kernel.launches.front(), code, request_.backend, request_.device);
  for (const Resources& resources : launches)
    if (const auto broken = resource_violation(resources, request_.device, request_.floor)) {
      std::cout << "skips " << label << ": " << broken->message << '\n';
      return;
    }
  const Resources resources = costliest(launches);
  const Attempt<Resources> loaded = bench_.session->load(kernel);
  ASSERT_TRUE(loaded.ok()) << to_text(loaded);
  EXPECT_EQ(loaded.value().registers, resources.registers);
  EXPECT_EQ(loaded.value().shared_bytes, resources.shared_bytes);
  EXPECT_EQ(loaded.value().blocks_per_sm, resources.blocks_per_sm);
  const Attempt<Verification> verified = bench_.session->verify();
  ASSERT_TRUE(verified.ok()) << to_text(verified);
  EXPECT_GT(verified.value().outputs_checked, 0);
  ++proven_;
}

void ProofRunner::prove_and_time(const Configuration& configuration) {
  const std::size_t before = proven_;
  prove(configuration);
  if (proven_ == before) return;
  const Attempt<Timing> timed = bench_.session->sample({});
  ASSERT_TRUE(timed.ok()) << to_text(timed);
  EXPECT_GT(timed.value().median_us, 0);
  if (request_.backend.probe) {
    EXPECT_GT(timed.value().sm_mhz, 0);
  }
}

}  // namespace tilewright::test
