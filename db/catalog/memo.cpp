#include <chrono>
#include <cstring>
#include <type_traits>

#include "db/catalog/state.hpp"
#include "definition/fields.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// A later change within the same tick of the file system's clock would go unnoticed.
bool is_settled(const FileState& state) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - state.changed_ns;
  return age > 100'000'000;
}

template <class Number>
void append(std::string& key, Number number) {
  static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  key.append(bytes, sizeof number);
}

void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}

void append(std::string& key, const DeviceField::Triple& sizes) {
  for (const std::int64_t size : sizes) append(key, size);
}

void append(std::string& key, const Device& device) {
  for_each_field(device, [&key](const DeviceField&, const auto& value) { append(key, value); });
}

std::string key_of(const Question& question) {
  std::string key;
  key.reserve(512);
  append(key, question.operation);
  for (const auto& [name, value] : question.problem) {
    append(key, name);
    append(key, value.index());
    if (const auto* number = std::get_if<std::int64_t>(&value))
      append(key, *number);
    else
      append(key, std::get<std::string>(value));
  }
  append(key, question.device.has_value());
  if (question.device) append(key, *question.device);
  append(key, question.cache ? static_cast<int>(*question.cache) : -1);
  append(key, static_cast<int>(question.require));
  append(key, question.environment.has_value());
  if (question.environment) {
    const Environment& software = *question.environment;
    for (const std::string* text : {&software.driver, &software.runtime, &software.compiler})
      append(key, *text);
    append(key, software.power_limit_w.value_or(0));
  }
  return key;
}

}  // namespace

Answer Catalog::State::remembered_or_found(const Question& question) {
  const auto state = rows_.file().empty() ? FileState{} : state_of(rows_.file());
  const std::string key = key_of(question);
  {
    const std::lock_guard lock(memo_mutex_);
    if (state != memo_state_) memo_.clear();
    memo_state_ = state;
    if (const auto known = memo_.find(key); known != memo_.end()) {
      if (known->second.asked) known->second.asked->note();
      return known->second.answer;
    }
  }
  try {
    const Climbed climbed = climb_for(question);
    Answer answer = answer_for(question, climbed);
    if (climbed.is_lasting && state && is_settled(*state)) {
      const std::lock_guard lock(memo_mutex_);
      if (state == memo_state_) memo_.emplace(key, Remembered{answer, climbed.asked});
    }
    return answer;
  } catch (const NothingFound& miss) {
    return miss_for(question, miss.what());
  }
}

}  // namespace tilewright
