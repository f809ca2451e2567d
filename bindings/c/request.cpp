#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "bindings/c/call.hpp"

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

// By ElementType: a new row needs its number here.
constexpr auto kTypes = std::to_array<std::pair<std::string_view, tw_type>>({
    {"float32", TW_FLOAT32},
    {"float64", TW_FLOAT64},
    {"int32", TW_INT32},
    {"uint32", TW_UINT32},
    {"int64", TW_INT64},
    {"uint64", TW_UINT64},
    {"uint8", TW_UINT8},
    {"int8", TW_INT8},
    {"int16", TW_INT16},
    {"uint16", TW_UINT16},
    {"float16", TW_FLOAT16},
    {"bfloat16", TW_BFLOAT16},
    {"float8_e4m3", TW_FLOAT8_E4M3},
    {"float8_e5m2", TW_FLOAT8_E5M2},
    {"complex64", TW_COMPLEX64},
});
static_assert(std::ranges::equal(kElementTypes, kTypes, {}, &ElementTypeFacts::name,
                                 &std::pair<std::string_view, tw_type>::first));
static_assert(std::ranges::all_of(kTypes, [](const auto& type) {
  return static_cast<int>(type_named(type.first).value()) == type.second;
}));
static_assert(static_cast<int>(OperandForm::scalar) == TW_SCALAR_BY_VALUE);
static_assert(Operand::kUnknown == TW_ENOUGH);

// `place` counts from 1.
Operand operand_of(const tw_operand& operand, std::size_t place) {
  const auto refuse = [place](const std::string& why) {
    throw InputError(fmt::format("operand {}: {}", place, why));
  };
  if (operand.form < 0 || operand.form > TW_PREPARED)
    refuse(fmt::format("form {} is none of tw_form", operand.form));
  if (operand.form == TW_PREPARED) {
    if (operand.data == nullptr) refuse("is prepared, but its data is NULL");
    return static_cast<const tw_prepared*>(operand.data)->input;
  }
  if (operand.type < 0 || operand.type >= static_cast<int>(kTypes.size()))
    refuse(fmt::format("type {} is none of tw_type", operand.type));
  const auto form = static_cast<OperandForm>(operand.form);
  const auto type = static_cast<ElementType>(operand.type);
  if (form == OperandForm::scalar) {
    if (operand.data == nullptr) refuse("is a scalar whose data is NULL");
    return Operand::scalar(type, operand.data);
  }
  if (form == OperandForm::array) return Operand::array(type, operand.data, operand.count);
  const Operand buffer =
      Operand::buffer(form, type, const_cast<void*>(operand.data), operand.count);
  return operand.values == nullptr ? buffer : buffer.with_values(operand.values);
}

}  // namespace

Settings settings_of(const char* text) {
  Settings settings;
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) add_settings(settings, word);
  return settings;
}

std::size_t place_of(const char* text, const char* what,
                     std::initializer_list<std::string_view> names) {
  if (text == nullptr) return 0;
  const auto* const found = std::ranges::find(names, std::string_view(text));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError(fmt::format("{} '{}': give {} or {}", what, text,
                               fmt::join(names.begin(), names.end() - 1, ", "),
                               *(names.end() - 1)));
}

std::optional<CachePolicy> cache_of(const char* text) {
  if (text == nullptr) return std::nullopt;
  return static_cast<CachePolicy>(place_of(text, "cache", {"warm", "cold", "robust"}));
}

Require require_of(const char* text) {
  return static_cast<Require>(place_of(text, "require", {"any", "device", "exact"}));
}

Inputs inputs_of(const char* text) {
  return static_cast<Inputs>(place_of(text, "inputs", {"any", "memory"}));
}

DeviceSelector selector_of(const char* text) {
  return text == nullptr ? DeviceSelector{} : device_selector(text);
}

void check_enumerator(std::int32_t number, std::int32_t last, const char* what, const char* type) {
  if (number < 0 || number > last)
    throw InputError(fmt::format("{} {} is none of {}", what, number, type));
}

tw_request checked_request(const tw_request* request, const char* function) {
  require(function, {{"request", request}});
  const tw_request whole = whole_of(function, request);
  require(function, {{"request->operation", whole.operation}});
  return whole;
}

void refuse(const char* function, const char* field, const char* value) {
  if (value != nullptr)
    throw InputError(fmt::format("{} takes no {}; '{}' was given", function, field, value));
}

std::vector<Operand> operands_of(const tw_operand* operands, std::size_t count) {
  std::vector<Operand> read;
  read.reserve(count);
  for (std::size_t i = 0; i < count; ++i) read.push_back(operand_of(operands[i], i + 1));
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

}  // namespace tilewright::bindings
