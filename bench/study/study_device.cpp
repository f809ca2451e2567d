#include "bench/study/study_device.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "bench/study/study_sequential.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright::bench {
namespace {

// Long enough that the number of samples ends a measurement, not the time.
constexpr double kBudget_us = 30e6;

DeviceClientOptions worker_options(const Device& device) {
  DeviceClientOptions options;
  options.worker = tools::worker_program();
  options.arguments = arguments_of({WorkerRole::Task::device, device.kind});
  options.limits = StepLimits::fixed_at(std::chrono::minutes(2));
  return options;
}

std::string failed(const char* step, const Failure& failure) {
  return fmt::format("{}: {}: {}", step, to_text(failure.outcome), failure.message);
}

}  // namespace

void StudyGiven::declare(tools::Options& all) {
  all.text(widths, {"widths", "LIST", "Widths to multiply; 100,500,700,1000,2000 by default."});
  all.text(measuring.device, {"device", "cuda:N", "The GPU; cuda:0 by default."});
  measuring.places.declare(all, {tools::kDatabase, tools::kKernels, tools::kCache});
  measuring.declare_jobs(all);
}

DeviceStudy::DeviceStudy(StudyGiven given) : given_(std::move(given)) {
  if (given_.measuring.device.empty()) given_.measuring.device = "cuda:0";
  const PreparedSweep setup = setup_for(1);
  device_ = make_device_client(worker_options(setup.request.device));
  device_name_ = setup.request.device.name;
  environment_ = setup.environment;
  pool_ = std::make_unique<CompileProcesses>(tools::worker_options(given_.measuring),
                                             setup.request.device.kind);
  compiler_ = std::make_unique<CompileAhead>(*pool_);
  if (!setup.request.backend.probe) return;
  probe_ = compile(*setup.request.backend.probe);
  if (!probe_.ok()) throw MachineError("the clock probe does not compile:\n" + probe_.log);
}

// Naming one implementation avoids building the spaces of the others.
PreparedSweep DeviceStudy::setup_for(std::int64_t width) const {
  const std::vector<std::string> words = {"gemm/naive", fmt::format("M=N=K={}", width)};
  return tools::prepare_sweep({}, tools::read_target(words, given_.measuring.places),
                              tools::device_to_measure_on(given_.measuring.device));
}

void DeviceStudy::open(std::int64_t width) {
  if (width == width_) return;
  width_ = 0;
  setup_ = setup_for(width);
  setup_.request.seed = kStudySeed;
  SessionPlan plan = plan_session(setup_.request, {setup_.request.problem}, {}, probe_.code);
  plan.check_limits = {width * width, width * width * width};
  device_->open(plan);
  width_ = width;
}

DeviceStudy::Choice DeviceStudy::choose(Series series) const {
  if (series == Series::tuned) return choose_tuned();
  const Family& family = *setup_.target.family;
  Choice choice;
  choice.implementation = &family.implementation(series == Series::naive ? "naive" : "tiled");
  choice.configuration = default_configuration(*choice.implementation);
  if (series == Series::textbook_32)
    for (const char* name : {"BLOCK_X", "BLOCK_Y", "TILE_WIDTH", "UNROLL"})
      choice.configuration.values[name] = std::int64_t{32};
  return choice;
}

// The stored best, preferably under the policy of the study.
DeviceStudy::Choice DeviceStudy::choose_tuned() const {
  Choice choice;
  choice.implementation = &setup_.target.family->implementation("tiled");
  Query query;
  query.operation = setup_.request.operation->name;
  query.implementation = choice.implementation->full_name();
  query.problem = setup_.request.problem;
  query.device = setup_.request.device;
  const std::unique_ptr<Store> store = tools::open_for_reading(given_.measuring.places);
  std::optional<BestRow> found;
  for (BestRow& row : store ? store->best(query) : std::vector<BestRow>{})
    if (row.epoch == choice.implementation->epoch &&
        (!found || row.policy == setup_.request.policy))
      found = std::move(row);
  if (found) {
    choice.configuration = found->configuration;
  } else {
    choice.why_not =
        fmt::format("not tuned: {}", store ? "the database has no answer for this width and device"
                                           : "there is no database");
  }
  return choice;
}

CompileResult DeviceStudy::compile(CompileRequest request) {
  compiler_->submit(++ticket_, std::move(request));
  const std::atomic<bool> never = false;
  return compiler_->wait_for(ticket_, never).value();
}

CompileRequest DeviceStudy::request_for(const Choice& choice) const {
  const SweepRequest& request = setup_.request;
  const Implementation& implementation = *choice.implementation;
  const Scope scope = full_scope(request.problem, choice.configuration, request.device);
  return make_compile_request(read_source(implementation), implementation, *request.operation,
                              request.problem, choice.configuration, scope,
                              request.backend.architecture);
}

// Why it was not measured; empty if it was.
std::string DeviceStudy::run(const Choice& choice, DeviceResult& result) {
  const CompileResult code = compile(request_for(choice));
  if (!code.ok()) return failed("compile", {code.outcome, code.log});
  const KernelPlan kernel = plan_kernel(setup_.request, *choice.implementation,
                                        choice.configuration, {setup_.request.problem}, code);
  if (const auto loaded = device_->load(kernel); !loaded.ok())
    return failed("load", loaded.failure());
  const auto verified = device_->verify();
  if (!verified.ok()) return failed("verify", verified.failure());
  result.verification = verified.value();
  SampleRequest samples;
  samples.minimum_samples = kSamples;
  samples.maximum_samples = kSamples;
  samples.budget_us = kBudget_us;
  const auto timed = device_->sample(samples);
  if (!timed.ok()) return failed("sample", timed.failure());
  result.timing = timed.value();
  return "";
}

DeviceResult DeviceStudy::measure(Series series, std::int64_t width) {
  open(width);
  const Choice choice = choose(series);
  DeviceResult result;
  result.configuration = to_text(choice.configuration.values);
  result.policy = to_text(setup_.request.policy);
  result.why_not = choice.why_not.empty() ? run(choice, result) : choice.why_not;
  return result;
}

}  // namespace tilewright::bench
