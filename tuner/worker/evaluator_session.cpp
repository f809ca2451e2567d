#include "tuner/worker/evaluator_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "definition/implementation.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/hash.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/worker/answers.hpp"
#include "tuner/worker/evaluator_process.hpp"

namespace tilewright {
namespace {

// Of a call that takes longer than SampleRequest::long_us.
constexpr std::size_t kLeastOfLongCalls = 2;
constexpr double kLongestBudget = 1e9;  // µs; a contest has none

nlohmann::json hello_to(const char* task, DeviceKind kind, int device_index,
                        const std::string& operation, nlohmann::json problem) {
  return {{"protocol", kEvaluatorProtocol},
          {"task", task},
          {"device", {{"kind", std::string(to_text(kind))}, {"index", device_index}}},
          {"operation", operation},
          {"problem", std::move(problem)},
          {"policy", {{"cache", to_text(CachePolicy::warm)}, {"submission", kTimedByAuthor}}}};
}

// A member that may be missing. Throws BadAnswer if it is something else.
template <class T>
T optional_field(const nlohmann::json& answer, const char* key, T usual) {
  if (!answer.contains(key)) return usual;
  return as_answer([&] {
    MessageReader{answer}(key, usual);
    return usual;
  });
}

// Calls `read`. An answer that cannot be used costs the process.
template <class T>
Attempt<T> used(EvaluatorProcess& process, const std::string& verb, const nlohmann::json& request,
                const auto& read) {
  const auto answer = process.ask(verb, request);
  if (!answer.ok()) return answer.failure();
  try {
    return read(answer.value());
  } catch (const BadAnswer& error) {
    return process.lose_because_of(verb, error.what());
  }
}

struct Prepared {
  Resources resources;
  std::string code;  // what tells it from others; empty: its configuration
  std::string text;
};

Attempt<Prepared> prepare(EvaluatorProcess& process, nlohmann::json configuration) {
  return used<Prepared>(process, "prepare", {{"configuration", std::move(configuration)}},
                        [](const nlohmann::json& answer) {
                          return Prepared{evaluators_resources(answer),
                                          optional_field(answer, "code", std::string()),
                                          optional_field(answer, "text", std::string())};
                        });
}

using Ours = std::function<std::unique_ptr<Compiler>()>;

class EvaluatorCompiler final : public Compiler {
 public:
  EvaluatorCompiler(std::vector<std::string> command, DeviceKind kind, Ours ours)
      : kind_(kind), process_(std::move(command)), ours_(std::move(ours)) {}

  CompileResult compile(const CompileRequest& request) override {
    if (request.entries != std::vector<std::string>{kEvaluatorEntry})
      return ours_()->compile(request);
    const auto start = std::chrono::steady_clock::now();
    process_.begin(hello_to("prepare", kind_, std::stoi(request.headers.at("device")),
                            request.headers.at("operation"),
                            parse_sorted(request.headers.at("problem"))));
    const auto prepared = prepare(process_, parse_sorted(request.source));
    CompileResult result;
    result.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!prepared.ok()) return failed(prepared.failure(), std::move(result));
    const Prepared& made = prepared.value();
    result.log = made.text;
    result.code.assign(request.source.begin(), request.source.end());
    result.code_hash = hex_hash(made.code.empty() ? request.options.front() + request.source
                                                  : "made " + made.code);
    result.entries[kEvaluatorEntry] = {kEvaluatorEntry, made.resources};
    return result;
  }

  std::string version() const override { return "an evaluator"; }

 private:
  static CompileResult failed(const Failure& failure, CompileResult result) {
    const bool is_known =
        failure.outcome == Outcome::unsupported || failure.outcome == Outcome::machine_failed;
    result.outcome = is_known ? failure.outcome : Outcome::compile_failed;
    result.log = failure.message;
    return result;
  }

  DeviceKind kind_;
  EvaluatorProcess process_;
  Ours ours_;
};

class EvaluatorSession final : public Evaluator {
 public:
  EvaluatorSession(std::vector<std::string> command, DeviceKind kind)
      : kind_(kind), process_(std::move(command)) {}

  void open(const SessionPlan& plan) override {
    const Problem& problem = plan.problems.front().problem;
    seed_ = plan.seed;
    nlohmann::json hello = hello_to("measure", kind_, plan.device_index, problem.operation,
                                    parse_sorted(canonical_json(problem.values)));
    hello["seed"] = plan.seed;
    process_.begin(std::move(hello));
  }

  Attempt<Resources> load(const KernelPlan& kernel) override {
    const auto prepared = prepare(
        process_,
        parse_sorted({reinterpret_cast<const char*>(kernel.code.data()), kernel.code.size()}));
    if (prepared.ok()) return prepared.value().resources;
    Failure failure = prepared.failure();
    if (failure.outcome == Outcome::compile_failed) failure.outcome = Outcome::launch_failed;
    return failure;
  }

  Attempt<Verification> verify() override {
    return used<Verification>(process_, "check", nlohmann::json::object(),
                              [this](const nlohmann::json& answer) { return read_check(answer); });
  }

  Attempt<Timing> sample(const SampleRequest& request) override {
    const nlohmann::json asked = {{"least", request.minimum_samples},
                                  {"most", request.maximum_samples},
                                  {"sample_us", request.sample_us},
                                  {"budget_us", std::min(request.budget_us, kLongestBudget)},
                                  {"long_us", request.long_us},
                                  {"lead_in_us", request.lead_in_us}};
    return used<Timing>(process_, "measure", asked,
                        [&](const nlohmann::json& answer) { return read_times(answer, request); });
  }

 private:
  Attempt<Verification> read_check(const nlohmann::json& answer) const {
    const auto correct = answer.find("correct");
    if (correct == answer.end() || !correct->is_boolean())
      throw BadAnswer("'correct' is missing or neither true nor false");
    const auto text = optional_field(answer, "text", std::string());
    if (*correct == false)
      return Failure{Outcome::wrong_answer, text.empty() ? "the evaluator says no more" : text};
    Verification verification;
    verification.seed = seed_;
    verification.outputs_checked = optional_field(answer, "checked", std::int64_t{0});
    verification.outputs_total = optional_field(answer, "total", verification.outputs_checked);
    verification.worst_error = optional_field(answer, "worst_error", 0.0);
    verification.worst_ratio = optional_field(answer, "worst_ratio", 0.0);
    as_answer([&] { require_possible(verification); });
    if (verification.outputs_checked == 0)
      throw BadAnswer("'checked', the number of elements that were compared, is not above 0");
    return verification;
  }

  static Timing read_times(const nlohmann::json& answer, const SampleRequest& request) {
    const auto times = checked_times(answer);
    const auto least = static_cast<std::size_t>(std::max(request.minimum_samples, 1));
    const auto most = static_cast<std::size_t>(std::max(request.maximum_samples, 1));
    const bool may_be_few =
        least < most && times.size() >= kLeastOfLongCalls && median(times) > request.long_us;
    if (times.size() > most || (times.size() < least && !may_be_few))
      throw BadAnswer(fmt::format("'times_us' has {} times; {} to {} were asked for", times.size(),
                                  least, most));
    Timing timing = summarise(times, optional_field(answer, "calls", 1), 0);
    as_answer([&] { require_possible(timing); });
    return timing;
  }

  static std::vector<double> checked_times(const nlohmann::json& answer) {
    Timing timing;
    timing.samples_us = optional_field(answer, "times_us", timing.samples_us);
    as_answer([&] { require_samples(timing); });
    if (timing.samples_us.empty()) throw BadAnswer("'times_us' is missing or empty");
    return timing.samples_us;
  }

  DeviceKind kind_;
  EvaluatorProcess process_;
  std::uint64_t seed_ = 0;
};

}  // namespace

std::unique_ptr<Compiler> make_evaluator_compiler(
    std::vector<std::string> command, DeviceKind kind,
    std::function<std::unique_ptr<Compiler>()> make_ours) {
  return std::make_unique<EvaluatorCompiler>(std::move(command), kind, std::move(make_ours));
}

std::unique_ptr<Evaluator> make_evaluator_session(std::vector<std::string> command,
                                                  DeviceKind kind) {
  return std::make_unique<EvaluatorSession>(std::move(command), kind);
}

}  // namespace tilewright
