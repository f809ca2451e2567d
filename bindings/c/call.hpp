#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>

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

}  // namespace tilewright::bindings
