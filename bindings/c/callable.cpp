#include "tuner/backend/callable.hpp"

#include <utility>

#include "bindings/c/call.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "tilewright/evaluator.h"
#include "tuner/machine/machine.hpp"
#include "tuner/worker/answers.hpp"
#include "tuner/worker/evaluator_process.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright::bindings {
namespace {

// Functions that C calls: those of a language in which the evaluator is written.
class CallableOfC final : public Callable {
 public:
  CallableOfC(tw_prepare to_prepare, tw_call to_call, void* context)
      : prepare_(to_prepare), call_(to_call), context_(context) {}

  void open(const SessionPlan& plan) override {
    requests_.clear();
    for (const SessionProblem& problem : plan.problems) {
      nlohmann::json operands = nlohmann::json::array();
      for (const PlannedBuffer& one : problem.buffers)
        operands.push_back({{"name", one.name},
                            {"kind", kArgumentKinds.at(static_cast<std::size_t>(one.kind))},
                            {"role", kArgumentRoles.at(static_cast<std::size_t>(one.role))},
                            {"type", to_text(one.type)},
                            {"count", one.count}});
      requests_.push_back({{"device", plan.device_index},
                           {"operation", problem.problem.operation},
                           {"problem", parse_sorted(canonical_json(problem.problem.values))},
                           {"operands", std::move(operands)}});
    }
  }

  Attempt<Resources> prepare(std::size_t problem,
                             std::span<const std::uint8_t> configuration) override {
    nlohmann::json request = requests_.at(problem);
    request["configuration"] =
        parse_sorted({reinterpret_cast<const char*>(configuration.data()), configuration.size()});
    const auto answer = read(prepare_(context_, problem, json_text(request).c_str()));
    if (!answer.ok()) return answer.failure();
    try {
      return evaluators_resources(answer.value());
    } catch (const BadAnswer& error) {
      return Failure{Outcome::faulted, error.what()};
    }
  }

  void call(std::size_t problem, std::span<const CallArgument> operands, void* stream) override {
    addresses_.clear();
    for (const CallArgument& one : operands)
      addresses_.push_back(one.memory != nullptr ? one.memory : one.values.data());
    const char* const said = call_(context_, problem, addresses_.data(), addresses_.size(), stream);
    if (said == nullptr) return;
    if (const auto answer = read(said); !answer.ok()) throw TrialError(answer.failure());
  }

 private:
  // A compile that fails here is not that of a compile process: it is a launch that failed.
  static Attempt<nlohmann::json> read(const char* text) {
    try {
      const nlohmann::json answer = parse_sorted(text == nullptr ? "" : text);
      if (!answer.is_object()) throw BadAnswer("the function's answer is no JSON object");
      auto read = read_evaluators_answer(answer);
      if (read.ok() || read.failure().outcome != Outcome::compile_failed) return read;
      return Failure{Outcome::launch_failed, read.failure().message};
    } catch (const BadAnswer& error) {
      return Failure{Outcome::faulted, error.what()};
    }
  }

  tw_prepare prepare_;
  tw_call call_;
  void* context_;
  std::vector<nlohmann::json> requests_;  // without a configuration, by problem
  std::vector<const void*> addresses_;
};

}  // namespace
}  // namespace tilewright::bindings

tw_status tw_serve_callable(const char* device_kind, tw_prepare prepare, tw_call call,
                            void* context, int input, int output) {
  using namespace tilewright;
  return bindings::guarded(
      __func__,
      {{"device_kind", device_kind},
       {"prepare", reinterpret_cast<const void*>(prepare)},
       {"call", reinterpret_cast<const void*>(call)}},
      [&] {
        bindings::CallableOfC callable(prepare, call, context);
        const auto session = backend_of(device_kind_from(device_kind)).make_session_of(callable);
        serve_evaluator(*session, input, output);
      });
}
