// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
};
inline constexpr ElementType kLastElementType = ElementType::float8_e5m2;

// What this program holds their elements in, in the enumerators' order.
using ElementTypes = std::tuple<float, double, std::int32_t, std::uint32_t, std::int64_t,
                                std::uint64_t, std::uint8_t, std::int8_t, std::int16_t,
                                std::uint16_t, Float16, BFloat16, Float8E4M3, Float8E5M2>;

struct ElementTypeFacts {
  std::string_view name;        // in manifests
  std::string_view cuda;        // in CUDA C++; the names with __ need a header of CUDA
  std::string_view cpp;         // in C++ with tilewright's headers
  std::string_view tensor_map;  // behind CU_TENSOR_MAP_DATA_TYPE_; for copies, which only have bits
};

// The only list of their names, in the enumerators' order.
inline constexpr auto kElementTypes = std::to_array<ElementTypeFacts>({
    {"float32", "float", "float", "FLOAT32"},
    {"float64", "double", "double", "FLOAT64"},
    {"int32", "int", "std::int32_t", "INT32"},
    {"uint32", "unsigned int", "std::uint32_t", "UINT32"},
    {"int64", "long long", "std::int64_t", "INT64"},
    {"uint64", "unsigned long long", "std::uint64_t", "UINT64"},
    {"uint8", "unsigned char", "std::uint8_t", "UINT8"},
    {"int8", "signed char", "std::int8_t", "UINT8"},
    {"int16", "short", "std::int16_t", "UINT16"},
    {"uint16", "unsigned short", "std::uint16_t", "UINT16"},
    {"float16", "__half", "tilewright::Float16", "FLOAT16"},
    {"bfloat16", "__nv_bfloat16", "tilewright::BFloat16", "BFLOAT16"},
    {"float8_e4m3", "__nv_fp8_e4m3", "tilewright::Float8E4M3", "UINT8"},
    {"float8_e5m2", "__nv_fp8_e5m2", "tilewright::Float8E5M2", "UINT8"},
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

constexpr bool is_integer(ElementType type) {
  return visit_type(type, []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
}

constexpr bool is_unsigned(ElementType type) {
  return visit_type(type, []<class T>(std::type_identity<T>) { return std::is_unsigned_v<T>; });
}

// A floating-point number of 8 or 16 bits.
constexpr bool is_narrow_float(ElementType type) {
  return !is_integer(type) && size_of(type) < 4;
}

}  // namespace tilewright
