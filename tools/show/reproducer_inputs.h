// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

// Inputs of a reproducer: bit by bit those that tilewright fills from the same seed.

namespace tilewright_reproducer {

enum class Filling { uniform, integers, sorted, constant };

struct Fill {
  Filling kind;
  double low;
  double high;
};

// splitmix64's output function: Steele, Lea and Flood, Fast splittable pseudorandom number
// generators, 2014.
inline std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// In [0, 1), for element i of an argument.
inline double unit(std::uint64_t seed, int argument, std::int64_t i) {
  const std::uint64_t stream = mix(mix(seed) + static_cast<std::uint64_t>(argument) + 1);
  const std::uint64_t step = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15ULL;
  return static_cast<double>(mix(stream + step) >> 11) / 9007199254740992.0;  // 2⁵³
}

// The nearest value of T, at the ends of its range if it lies beyond them.
template <class T>
T to_element(double value) {
  if (std::is_floating_point<T>::value) return static_cast<T>(value);
  if (!(value > static_cast<double>(std::numeric_limits<T>::lowest())))
    return std::numeric_limits<T>::lowest();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

// `value` in [low, high), kept there when T rounds it up to `high`.
template <class T>
T uniform_element(double value, const Fill& fill) {
  if (!std::is_floating_point<T>::value) return to_element<T>(std::floor(value));
  const T element = static_cast<T>(value);
  const T limit = static_cast<T>(fill.high);
  const bool is_over = element >= limit && fill.low < fill.high;
  return is_over ? static_cast<T>(std::nextafter(limit, static_cast<T>(fill.low))) : element;
}

template <class T>
T element(const Fill& fill, double place, std::int64_t i, std::int64_t count) {
  const double width = fill.high - fill.low;
  if (fill.kind == Filling::uniform) return uniform_element<T>(fill.low + width * place, fill);
  if (fill.kind == Filling::sorted) {
    const double step = (static_cast<double>(i) + place) / static_cast<double>(count);
    return uniform_element<T>(fill.low + width * step, fill);
  }
  if (fill.kind == Filling::constant) return to_element<T>(fill.low);
  const double values = std::floor(fill.high) - std::ceil(fill.low) + 1;
  return to_element<T>(std::ceil(fill.low) + std::floor(values * place));
}

using Bytes = std::vector<unsigned char>;

template <class T>
Bytes filled(const Fill& fill, std::int64_t count, int argument, std::uint64_t seed) {
  Bytes bytes(static_cast<std::size_t>(count) * sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = element<T>(fill, unit(seed, argument, i), i, count);
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <class T>
Bytes bytes_of(T value) {
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

inline Bytes first_bytes_of(const char* path, std::size_t size) {
  Bytes bytes(size);
  std::FILE* const file = std::fopen(path, "rb");
  const std::size_t got = file == nullptr ? 0 : std::fread(bytes.data(), 1, size, file);
  if (file != nullptr) std::fclose(file);
  if (got == size) return bytes;
  std::fprintf(stderr, "%s: %zu bytes are needed, and %zu could be read\n", path, size, got);
  std::exit(2);
}

}  // namespace tilewright_reproducer
