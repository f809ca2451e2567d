#include "tuner/worker/serve.hpp"

#include <chrono>
#include <new>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kForEver{0};

template <class T>
nlohmann::json reply_of(const Attempt<T>& attempt) {
  if (attempt.ok()) return {{"ok", attempt.value()}};
  return {{"failure", attempt.failure()}};
}

nlohmann::json perform(Evaluator& evaluator, const nlohmann::json& request) {
  const std::string verb = request.at("verb").get<std::string>();
  if (verb == "open") {
    evaluator.open(request.at("argument").get<SessionPlan>());
    return {{"ok", nullptr}};
  }
  if (verb == "simple_answers") return {{"ok", evaluator.simple_answers()}};
  if (verb == "load") return reply_of(evaluator.load(request.at("argument").get<KernelPlan>()));
  if (verb == "verify") return reply_of(evaluator.verify());
  if (verb == "sample")
    return reply_of(evaluator.sample(request.at("argument").get<SampleRequest>()));
  return {{"machine_error", "the device process was asked for the unknown step '" + verb + "'"}};
}

nlohmann::json answer(Evaluator& evaluator, const nlohmann::json& request) {
  try {
    return perform(evaluator, request);
  } catch (const InputError& error) {
    return {{"input_error", error.what()}};
  } catch (const std::exception& error) {
    return {{"machine_error", error.what()}};
  }
}

bool lost_the_device(const nlohmann::json& reply) {
  const auto failure = reply.find("failure");
  return failure != reply.end() && failure->get<Failure>().outcome == Outcome::faulted;
}

nlohmann::json answer(Compiler& compiler, const nlohmann::json& request) {
  try {
    return {{"result", compiler.compile(request.get<CompileRequest>())}};
  } catch (const std::bad_alloc&) {
    CompileResult result;
    result.outcome = Outcome::compile_timed_out;
    result.log = "the compiler ran out of memory";
    return {{"result", result}};
  } catch (const std::exception& error) {
    return {{"machine_error", error.what()}};
  }
}

}  // namespace

void serve_compiler(Compiler& compiler, int input, int output) {
  nlohmann::json request;
  while (read_message(input, request, kForEver) == ReadStatus::message) {
    const nlohmann::json reply = answer(compiler, request);
    if (!write_message(output, reply) || reply.contains("machine_error")) return;
  }
}

void serve_evaluator(Evaluator& evaluator, int input, int output) {
  nlohmann::json request;
  while (read_message(input, request, kForEver) == ReadStatus::message) {
    const nlohmann::json reply = answer(evaluator, request);
    if (!write_message(output, reply) || lost_the_device(reply)) return;
  }
}

void send_machine_error(int output, const std::string& text) {
  write_message(output, {{"machine_error", text}});
}

}  // namespace tilewright
