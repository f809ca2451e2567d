// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tilewright/narrow_float.hpp"

namespace tilewright {

// The types of an argument's elements. Bundles hold their numbers, so new ones come last.
enum class ElementType {
  float32,
  float64,
  int32,
  uint32,
  int64,
  uint64,
  uint8,
  int8,
  int16,
  uint16,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  complex64,
};
inline constexpr ElementType kLastElementType = ElementType::complex64;

// What this program holds their elements in, in the enumerators' order.
using ElementTypes =
    std::tuple<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
               std::uint8_t, std::int8_t, std::int16_t, std::uint16_t, Float16, BFloat16,
               Float8E4M3, Float8E5M2, std::complex<float>>;

enum class ElementKind { floating, signed_integer, unsigned_integer, complex };

struct ElementTypeFacts {
  std::string_view name;        // in manifests
  std::string_view cuda;        // in CUDA C++; the names with __ need a header of CUDA
  std::string_view cpp;         // in C++ with tilewright's headers
  std::string_view tensor_map;  // behind CU_TENSOR_MAP_DATA_TYPE_; for copies, which only have bits
  ElementKind kind;
  double epsilon;   // from 1 to the next value, of a complex number's parts; 0 for integers
  double greatest;  // finite value, of a complex number's parts; as float64 has it
  int dlpack_code;  // DLDataTypeCode
};

// The only list of their facts, in the enumerators' order.
inline constexpr auto kElementTypes = std::to_array<ElementTypeFacts>({
    // clang-format off
    {"float32", "float", "float", "FLOAT32", ElementKind::floating, 0x1p-23, 0x1.fffffep127, 2},
    {"float64", "double", "double", "FLOAT64", ElementKind::floating, 0x1p-52, 0x1.fffffffffffffp1023, 2},
    {"int32", "int", "std::int32_t", "INT32", ElementKind::signed_integer, 0, 0x1p31 - 1, 0},
    {"uint32", "unsigned int", "std::uint32_t", "UINT32", ElementKind::unsigned_integer, 0, 0x1p32 - 1, 1},
    {"int64", "long long", "std::int64_t", "INT64", ElementKind::signed_integer, 0, 0x1p63, 0},
    {"uint64", "unsigned long long", "std::uint64_t", "UINT64", ElementKind::unsigned_integer, 0, 0x1p64, 1},
    {"uint8", "unsigned char", "std::uint8_t", "UINT8", ElementKind::unsigned_integer, 0, 255, 1},
    {"int8", "signed char", "std::int8_t", "UINT8", ElementKind::signed_integer, 0, 127, 0},
    {"int16", "short", "std::int16_t", "UINT16", ElementKind::signed_integer, 0, 32767, 0},
    {"uint16", "unsigned short", "std::uint16_t", "UINT16", ElementKind::unsigned_integer, 0, 65535, 1},
    {"float16", "__half", "tilewright::Float16", "FLOAT16", ElementKind::floating, 0x1p-10, 65504, 2},
    {"bfloat16", "__nv_bfloat16", "tilewright::BFloat16", "BFLOAT16", ElementKind::floating, 0x1p-7, 0x1.fep127, 4},
    {"float8_e4m3", "__nv_fp8_e4m3", "tilewright::Float8E4M3", "UINT8", ElementKind::floating, 0x1p-3, 448, 10},
    {"float8_e5m2", "__nv_fp8_e5m2", "tilewright::Float8E5M2", "UINT8", ElementKind::floating, 0x1p-2, 57344, 12},
    {"complex64", "float2", "std::complex<float>", "UINT64", ElementKind::complex, 0x1p-23, 0x1.fffffep127, 5},
    // clang-format on
});
static_assert(kElementTypes.size() == static_cast<std::size_t>(kLastElementType) + 1);
static_assert(std::tuple_size_v<ElementTypes> == kElementTypes.size());

constexpr const ElementTypeFacts& facts_of(ElementType type) {
  return kElementTypes.at(static_cast<std::size_t>(type));
}

inline std::string to_text(ElementType type) {
  return std::string(facts_of(type).name);
}

// Nothing if no type has this name.
constexpr std::optional<ElementType> type_named(std::string_view name) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i)
    if (kElementTypes.at(i).name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

// Calls `work` with std::type_identity of the C++ type that holds elements of `type`.
template <std::size_t kPlace = 0, class Work>
constexpr auto visit_type(ElementType type, Work&& work) {
  using T = std::tuple_element_t<kPlace, ElementTypes>;
  if constexpr (kPlace + 1 < kElementTypes.size()) {
    if (static_cast<std::size_t>(type) != kPlace)
      return visit_type<kPlace + 1>(type, std::forward<Work>(work));
  }
  return work(std::type_identity<T>{});
}

// In bytes.
constexpr std::size_t size_of(ElementType type) {
  return visit_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

constexpr bool is_unsigned(ElementType type) {
  return facts_of(type).kind == ElementKind::unsigned_integer;
}

constexpr bool is_integer(ElementType type) {
  return is_unsigned(type) || facts_of(type).kind == ElementKind::signed_integer;
}

// A floating-point number of 8 or 16 bits.
constexpr bool is_narrow_float(ElementType type) {
  return facts_of(type).kind == ElementKind::floating && size_of(type) < 4;
}

namespace detail {

// Whether a row says of a number of the standard what the standard says.
template <class T>
constexpr bool is_row_of(const ElementTypeFacts& facts) {
  using Limits = std::numeric_limits<T>;
  if constexpr (!Limits::is_specialized) {
    return facts.kind == ElementKind::floating || facts.kind == ElementKind::complex;
  } else {
    constexpr ElementKind kKind = !Limits::is_integer ? ElementKind::floating
                                  : Limits::is_signed ? ElementKind::signed_integer
                                                      : ElementKind::unsigned_integer;
    return facts.kind == kKind && facts.epsilon == static_cast<double>(Limits::epsilon()) &&
           facts.greatest == static_cast<double>(Limits::max());
  }
}

constexpr bool rows_are_right() {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    const bool is_right = visit_type(
        static_cast<ElementType>(i),
        [i]<class T>(std::type_identity<T>) { return is_row_of<T>(kElementTypes.at(i)); });
    if (!is_right || kElementTypes.at(i).name.empty()) return false;
  }
  return true;
}
static_assert(rows_are_right(), "a row is missing or in the place of another type");

}  // namespace detail

}  // namespace tilewright
