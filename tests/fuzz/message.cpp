#include <nlohmann/json.hpp>

#include "definition/json/codec.hpp"
#include "tests/fuzz/target.hpp"
#include "tuner/worker/answers.hpp"

using namespace tilewright;

namespace {

template <class Message>
void read_as(const nlohmann::json& json) {
  try {
    const auto message = json.get<Message>();
    const nlohmann::json written = message;
    fuzz::expect(nlohmann::json(written.get<Message>()) == written,
                 "write, read, write gives the same message");
  } catch (const nlohmann::json::exception&) {
  }
}

// What the program takes of a worker can be written and read again.
template <class Read>
void take(const Read& read) {
  try {
    read();
  } catch (const BadAnswer&) {
  } catch (const InputError&) {  // what a worker may report
  } catch (const DeviceLost&) {
  }
}

template <class T>
void read_as_answer(const nlohmann::json& json) {
  take([&] {
    const Attempt<T> attempt = read_attempt<T>(json);
    if constexpr (std::same_as<T, Timing>)
      if (attempt.ok()) as_answer([&] { require_asked(attempt.value(), SampleRequest{}); });
    const nlohmann::json written = attempt.ok() ? nlohmann::json{{"ok", attempt.value()}}
                                                : nlohmann::json{{"failure", attempt.failure()}};
    fuzz::expect(read_attempt<T>(written).ok() == attempt.ok(), "what was taken is taken again");
  });
}

}  // namespace

// What crosses a pipe to a worker, and what an entry of the cache of compiled code holds.
TILEWRIGHT_FUZZ_TARGET(message) {
  const auto json = parse_cbor(fuzz::text_of(data, size));
  if (!json) return 0;
  read_as<CompileRequest>(*json);
  read_as<CompileResult>(*json);
  read_as<SessionPlan>(*json);
  read_as<KernelPlan>(*json);
  read_as<SampleRequest>(*json);
  read_as<Resources>(*json);
  read_as<Verification>(*json);
  read_as<Timing>(*json);
  read_as<Failure>(*json);
  read_as_answer<std::nullptr_t>(*json);
  read_as_answer<Resources>(*json);
  read_as_answer<Verification>(*json);
  read_as_answer<Timing>(*json);
  read_as_answer<std::vector<SimpleAnswer>>(*json);
  take([&] { checked_field<CompileResult>(*json, "result"); });
  return 0;
}
