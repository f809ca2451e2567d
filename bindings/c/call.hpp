#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/bundle.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/device_selector.hpp"
#include "tilewright/error.hpp"
#include "tilewright/kernel.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/runtime.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/tilewright.h"

// What every call from C begins and ends with: pointers, structs that begin with their size so that
// later versions can add fields at the end, and a status.
namespace tilewright::bindings {

// The status of the exception that is being handled; stores its text for tw_error_text() of this
// thread. Only for use in a catch block.
tw_status status_of_exception() noexcept;

// Throws InputError for the first pointer that is NULL: "tw_best: runtime is NULL".
using NamedPointer = std::pair<const char*, const void*>;
void require(const char* function, std::initializer_list<NamedPointer> pointers);

// Runs `work`, unless one of the pointers is NULL, and turns any exception into a status, because C
// cannot catch one.
template <class Work>
tw_status guarded(const char* function, std::initializer_list<NamedPointer> pointers,
                  Work&& work) noexcept {
  try {
    require(function, pointers);
    std::forward<Work>(work)();
    return TW_OK;
  } catch (...) {
    return status_of_exception();
  }
}

// What `ask` says of a handle; 0 or null if that is NULL, or after an exception, whose text is
// kept.
template <class Handle, class Ask>
auto asked_of(const char* function, const char* name, const Handle* handle, Ask&& ask) noexcept {
  decltype(ask(*handle)) result{};
  guarded(function, {{name, handle}}, [&] { result = ask(*handle); });
  return result;
}

// The name of a struct, and where its fields of version 0.3 end. No caller knows fewer, and a new
// field lies behind that.
struct SizedFacts {
  const char* name;
  std::size_t least;
};

// Where a last field ends, with the padding after it, whose bytes may have any value.
constexpr std::size_t end_of(std::size_t offset, std::size_t bytes) {
  constexpr std::size_t kUnit = sizeof(void*);
  return (offset + bytes + kUnit - 1) / kUnit * kUnit;
}

template <class Struct>
inline constexpr SizedFacts kSized = {nullptr, 0};  // has no size
template <>
inline constexpr SizedFacts kSized<tw_request> = {
    "tw_request", end_of(offsetof(tw_request, inputs), sizeof(tw_request::inputs))};
template <>
inline constexpr SizedFacts kSized<tw_argument> = {
    "tw_argument", end_of(offsetof(tw_argument, prepared), sizeof(tw_argument::prepared))};
template <>
inline constexpr SizedFacts kSized<tw_tune_request> = {
    "tw_tune_request", end_of(offsetof(tw_tune_request, compile_processes),
                              sizeof(tw_tune_request::compile_processes))};

// Copies into `whole`, which has `known` zeroed bytes, what the caller's struct has of them. Throws
// an InputError that names the function and the struct if the caller's size is none that a header
// ever had, or if bytes that are not known here are not 0.
void read_sized(const char* function, const SizedFacts& facts, const void* given, void* whole,
                std::size_t known);

// Copies from `whole`, which has `known` bytes, what the caller's struct has room for, and leaves
// its size alone. Throws InputError as above.
void write_sized(const char* function, const SizedFacts& facts, const void* whole, void* given,
                 std::size_t known);

// The caller's struct with all fields of this version. Those that the caller does not know are 0.
// REQUIRES that `given` is not null. Throws InputError.
template <class Struct>
Struct whole_of(const char* function, const Struct* given) {
  static_assert(kSized<Struct>.name != nullptr && offsetof(Struct, size) == 0);
  Struct whole = {};
  read_sized(function, kSized<Struct>, given, &whole, sizeof whole);
  return whole;
}

// ---- What C passes, as C++ takes it

// NULL: an empty text.
inline std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

// Reads "M=512 N=512 transpose_b=yes", also "M=N=K=512"; NULL: none. Throws InputError for a word
// that is not NAME=VALUE and for a name that is given twice.
Settings settings_of(const char* text);

// The place of `text` among the names; NULL: the first. Throws an InputError that begins with
// `what`.
std::size_t place_of(const char* text, const char* what,
                     std::initializer_list<std::string_view> names);

// Reads "robust", "cold" or "warm"; NULL: none. Throws InputError.
std::optional<CachePolicy> cache_of(const char* text);

// Reads "any", "device" or "exact"; NULL: any. Throws InputError.
Require require_of(const char* text);

// Reads "any" or "memory"; NULL: any. Throws InputError.
Inputs inputs_of(const char* text);

// Reads "cuda:0", "cuda", "host" or "auto"; NULL: auto. Throws InputError.
DeviceSelector selector_of(const char* text);

// Throws an InputError that begins with `what` unless the number is one of the type's enumerators,
// which are 0 to `last`.
void check_enumerator(std::int32_t number, std::int32_t last, const char* what, const char* type);

// The request with all fields of this version. Throws an InputError that names the function if the
// request or its operation is NULL, or its size is wrong.
tw_request checked_request(const tw_request* request, const char* function);

// Throws InputError if the request sets a field that the function does not take.
void refuse(const char* function, const char* field, const char* value);

// Throws an InputError that names the operand by its place, counted from 1.
std::vector<Operand> operands_of(const tw_operand* operands, std::size_t count);

// `scratch` may be null. Throws InputError if it is too small for the kernel.
Scratch scratch_of(const Kernel& kernel, const tw_scratch* scratch);

// ---- What C gets

// An answer as C sees it. The pointers of its tw_answer point into `texts`.
struct AnswerView : tw_answer {
  AnswerView() : tw_answer{} {}
  AnswerView(const AnswerView&) = delete;
  AnswerView& operator=(const AnswerView&) = delete;

  // Whether it was made from this very object.
  bool is_of(const Answer& answer) const { return source == &answer; }

  const Answer* source = nullptr;
  Settings values;  // of the configuration
  std::forward_list<std::string> texts;
};

std::unique_ptr<AnswerView> answer_view(const Answer& answer);

// The JSON as text, to be freed with tw_text_free().
char* text_for_c(const nlohmann::ordered_json& json);
char* text_for_c(const std::string& text);

}  // namespace tilewright::bindings

// The contents of C's opaque handles.

struct tw_options {
  tilewright::RuntimeOptions options;
};

struct tw_runtime {
  explicit tw_runtime(const tilewright::RuntimeOptions& given)
      : options(given), catalog(given.catalog), runtime(given) {}

  const tilewright::RuntimeOptions options;
  const tilewright::Catalog catalog;  // follows the database, which `runtime` does not
  const tilewright::Runtime runtime;
};

struct tw_bundle {
  const tilewright::Bundle bundle;
};

struct tw_prepared {
  const tilewright::PreparedInput input;
};

struct tw_kernel {
  explicit tw_kernel(tilewright::Kernel of)
      : kernel(std::move(of)), first_(tilewright::bindings::answer_view(kernel.answer())) {}

  // The answer in use. It differs from the first if preparing had to use another one.
  const tw_answer* answer() const noexcept;

  const tilewright::Kernel kernel;

 private:
  const std::unique_ptr<const tilewright::bindings::AnswerView> first_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const tilewright::bindings::AnswerView> other_;
};
