#include "bindings/c/request.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {
namespace {

Value value_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && rest == end) return number;
  return text;
}

// Adds one or more names with a value: "M=512", "M=N=512".
void add_settings(Settings& settings, const std::string& word) {
  const std::size_t last = word.rfind('=');
  const auto refuse = [&](const char* why) {
    throw InputError(fmt::format("problem: '{}' {}", word, why));
  };
  if (last == std::string::npos || last + 1 == word.size()) refuse("is not NAME=VALUE");
  const Value value = value_of(word.substr(last + 1));
  std::istringstream names(word.substr(0, last));
  std::size_t count = 0;
  for (std::string name; std::getline(names, name, '='); ++count) {
    if (name.empty()) refuse("is not NAME=VALUE");
    if (!settings.try_emplace(name, value).second) refuse("gives a name a second time");
  }
  if (count == 0) refuse("is not NAME=VALUE");
}

void refuse(const char* what, const char* name, const char* value) {
  if (value != nullptr)
    throw InputError(fmt::format("{} takes no {}; '{}' was given", what, name, value));
}

static_assert(static_cast<int>(ElementType::uint8) == TW_UINT8);
static_assert(static_cast<int>(ElementType::int64) == TW_INT64);
static_assert(static_cast<int>(OperandForm::scalar) == TW_SCALAR_BY_VALUE);
static_assert(Operand::kUnknown == TW_ENOUGH);

class OperandReader {
 public:
  OperandReader(const tw_operand& operand, std::size_t place) : operand_(operand), place_(place) {}

  Operand read() const {
    const auto form = static_cast<OperandForm>(operand_.form);
    switch (form) {
      case OperandForm::scalar:
        return Operand::scalar(type(), data_of_scalar());
      case OperandForm::array:
        return Operand::array(type(), operand_.data, operand_.count);
      case OperandForm::read:
      case OperandForm::write: {
        const Operand buffer =
            Operand::buffer(form, type(), const_cast<void*>(operand_.data), operand_.count);
        return operand_.values == nullptr ? buffer : buffer.with_values(operand_.values);
      }
    }
    refuse(fmt::format("form {} is none of tw_form", operand_.form));
  }

 private:
  ElementType type() const {
    const int number = operand_.type;
    if (number < 0 || number > TW_UINT8) refuse(fmt::format("type {} is none of tw_type", number));
    return static_cast<ElementType>(number);
  }

  const void* data_of_scalar() const {
    if (operand_.data == nullptr) refuse("is a scalar whose data is NULL");
    return operand_.data;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("operand {}: {}", place_, why));
  }

  const tw_operand& operand_;
  std::size_t place_;  // from 1
};

}  // namespace

Settings settings_of(const char* text) {
  Settings settings;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) add_settings(settings, word);
  return settings;
}

std::optional<CachePolicy> cache_of(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view name = text;
  if (name == "warm") return CachePolicy::warm;
  if (name == "cold") return CachePolicy::cold;
  throw InputError(fmt::format("cache '{}': give warm or cold", name));
}

Require require_of(const char* text) {
  const std::string_view name = text == nullptr ? "any" : text;
  if (name == "any") return Require::any;
  if (name == "device") return Require::device;
  if (name == "exact") return Require::exact;
  throw InputError(fmt::format("require '{}': give any, device or exact", name));
}

Inputs inputs_of(const char* text) {
  const std::string_view name = text == nullptr ? "any" : text;
  if (name == "any") return Inputs::any;
  if (name == "memory") return Inputs::in_memory;
  throw InputError(fmt::format("inputs '{}': give any or memory", name));
}

DeviceSelector selector_of(const char* text) {
  return text == nullptr ? DeviceSelector{} : device_selector(text);
}

void check_enumerator(std::int32_t number, std::int32_t last, const char* what, const char* type) {
  if (number < 0 || number > last)
    throw InputError(fmt::format("{} {} is none of {}", what, number, type));
}

void check_request(const tw_request* request, const char* what) {
  require(request, fmt::format("{}: request", what).c_str());
  require(request->operation, fmt::format("{}: request->operation", what).c_str());
}

void refuse_cache(const tw_request& request, const char* what) {
  refuse(what, "cache", request.cache);
}

void refuse_inputs(const tw_request& request, const char* what) {
  refuse(what, "inputs", request.inputs);
}

void refuse_conditions(const tw_request& request, const char* what) {
  refuse_cache(request, what);
  refuse(what, "require", request.require);
  refuse_inputs(request, what);
}

std::vector<Operand> operands_of(const tw_operand* operands, std::size_t count) {
  std::vector<Operand> read;
  read.reserve(count);
  for (std::size_t i = 0; i < count; ++i) read.push_back(OperandReader(operands[i], i + 1).read());
  return read;
}

Scratch scratch_of(const Kernel& kernel, const tw_scratch* scratch) {
  if (scratch == nullptr || scratch->memory == nullptr) return {};
  if (scratch->bytes != TW_ENOUGH && scratch->bytes < kernel.workspace_bytes())
    throw InputError(fmt::format("a launch needs {} bytes of workspace; {} were given",
                                 kernel.workspace_bytes(), scratch->bytes));
  check_enumerator(scratch->state, TW_SCRATCH_READY, "scratch: state", "tw_scratch_state");
  const bool is_ready = scratch->state == TW_SCRATCH_READY;
  return {scratch->memory, is_ready ? Scratch::State::ready : Scratch::State::unknown};
}

bool is_set(std::int32_t flag, const char* name) {
  if (flag != 0 && flag != 1)
    throw InputError(fmt::format("{}: give 0 or 1; {} was given", name, flag));
  return flag == 1;
}

void require_all(const char* function, std::initializer_list<NamedPointer> pointers) {
  for (const auto& [name, pointer] : pointers)
    require(pointer, fmt::format("{}: {}", function, name).c_str());
}

}  // namespace tilewright::bindings
