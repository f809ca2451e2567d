// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewright {

// The types of an argument's elements. The names are those of manifests.
enum class ElementType { float32, float64, int32, uint32, int64, uint64, uint8 };

enum class ArgumentKind {
  buffer,  // pointer to `count` elements in device memory
  scalar,  // one element by value
  array,   // `capacity` elements by value in a struct, the first `count` of them used
};

enum class ArgumentRole { input, output, inout };

inline constexpr std::array<std::string_view, 7> kElementTypeNames = {
    "float32", "float64", "int32", "uint32", "int64", "uint64", "uint8"};

inline std::string to_text(ElementType type) {
  return std::string(kElementTypeNames.at(static_cast<std::size_t>(type)));
}

// In bytes.
constexpr std::size_t size_of(ElementType type) {
  constexpr std::array<std::size_t, 7> kSizes = {4, 8, 4, 4, 8, 8, 1};
  return kSizes.at(static_cast<std::size_t>(type));
}

}  // namespace tilewright
