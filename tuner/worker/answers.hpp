#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "definition/json/border.hpp"
#include "tilewright/error.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {

// A worker said what none says: its answer is damaged, lacks a field or has an impossible value.
// The sentence names the field.
class BadAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr const char* kDamaged = "the message is damaged";

// Of what workers answer, beside the values that border.hpp knows. Each throws InputError.
void require_possible(const Failure& failure);  // of a device process
void require_possible(const CompileResult& result);
void require_possible(const std::vector<SimpleAnswer>& answers);
inline void require_possible(const RoutineList& /*list*/) {}  // only known values are taken
inline void require_possible(const std::string& /*text*/) {}
inline void require_possible(std::nullptr_t /*nothing*/) {}

// Its samples are times, and no more than the request allows.
void require_asked(const Timing& timing, const SampleRequest& request);

// Calls `read` and turns what is wrong with an answer into BadAnswer.
auto as_answer(const auto& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw BadAnswer(reason_of(error));
  } catch (const InputError& error) {
    throw BadAnswer(error.what());
  }
}

// A value that a worker sent. Throws BadAnswer.
template <class T>
T checked(const nlohmann::json& json) {
  return as_answer([&json] {
    T value = json.get<T>();
    require_possible(value);
    return value;
  });
}

// One field of an answer. Throws BadAnswer.
template <class T>
T checked_field(const nlohmann::json& answer, const char* key) {
  return as_answer([&] {
    if (!answer.contains(key)) throw BadAnswer("'" + std::string(key) + "' is missing");
    T value{};
    MessageReader{answer}(key, value);
    require_possible(value);
    return value;
  });
}

// Throws what a device process reports in place of a result: InputError or DeviceLost. BadAnswer if
// it reports nothing.
[[noreturn]] void throw_reported(const nlohmann::json& answer);

// What a device process answers to a step. Throws BadAnswer, and as throw_reported() does.
template <class T>
Attempt<T> read_attempt(const nlohmann::json& answer) {
  if (answer.contains("ok")) return checked_field<T>(answer, "ok");
  if (answer.contains("failure")) return checked_field<Failure>(answer, "failure");
  throw_reported(answer);
}

}  // namespace tilewright
