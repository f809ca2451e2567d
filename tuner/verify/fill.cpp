// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

#include "tuner/verify/fill.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <type_traits>

#include "tilewright/error.hpp"
#include "tuner/verify/elements.hpp"
#include "tuner/verify/parallel.hpp"

namespace tilewright {
namespace {

// splitmix64's output function: Steele, Lea and Flood, Fast splittable pseudorandom number
// generators, 2014.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// The stream of one argument; its element i is random_bits(stream, i).
std::uint64_t stream_of(std::uint64_t seed, int argument_index) {
  return mix(mix(seed) + static_cast<std::uint64_t>(argument_index) + 1);
}

std::uint64_t random_bits(std::uint64_t stream, std::int64_t index) {
  return mix(stream + (static_cast<std::uint64_t>(index) + 1) * 0x9E3779B97F4A7C15ULL);
}

// In [0, 1): the upper 53 bits.
double unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// The nearest value of T, at the ends of its range if it lies beyond them.
template <class T>
T to_element(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr double kHighest = static_cast<double>(std::numeric_limits<T>::max());
    if (!(value > kLowest)) return std::numeric_limits<T>::lowest();
    if (value >= kHighest) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
}

// `value` in [low, high), kept there when T rounds it up to `high`.
template <class T>
T uniform_element(double value, double low, double high) {
  if constexpr (std::is_floating_point_v<T>) {
    const T element = static_cast<T>(value);
    const T limit = static_cast<T>(high);
    return element >= limit && low < high ? std::nextafter(limit, static_cast<T>(low)) : element;
  } else {
    return to_element<T>(std::floor(value));
  }
}

template <class T>
T filled_element(const PlannedBuffer& buffer, std::uint64_t stream, std::int64_t i,
                 std::int64_t count) {
  const Fill& fill = buffer.fill;
  const double width = fill.high - fill.low;
  const std::uint64_t bits = random_bits(stream, i);
  switch (fill.kind) {
    case Fill::Kind::uniform:
      return uniform_element<T>(fill.low + width * unit(bits), fill.low, fill.high);
    case Fill::Kind::integers: {
      const double values = std::floor(fill.high) - std::ceil(fill.low) + 1;
      return to_element<T>(std::ceil(fill.low) + std::floor(values * unit(bits)));
    }
    case Fill::Kind::sorted: {
      // One number from each of `count` equal steps: ascending, without a sort.
      const double place = (static_cast<double>(i) + unit(bits)) / static_cast<double>(count);
      return uniform_element<T>(fill.low + width * place, fill.low, fill.high);
    }
    case Fill::Kind::constant:
      return to_element<T>(fill.low);
    case Fill::Kind::file:
      break;
  }
  return T{};
}

std::vector<std::uint8_t> read_file(const PlannedBuffer& buffer, std::size_t bytes) {
  const std::string path = buffer.fill.file.string();
  std::ifstream file(buffer.fill.file, std::ios::binary);
  std::vector<std::uint8_t> data(bytes);
  if (file) file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
  if (!file && file.gcount() == 0 && bytes > 0)
    throw InputError(
        fmt::format("{}, the file that fills argument '{}', cannot be read", path, buffer.name));
  if (static_cast<std::size_t>(file.gcount()) < bytes)
    throw InputError(
        fmt::format("{}, the file that fills argument '{}', has {} bytes; {} are needed", path,
                    buffer.name, file.gcount(), bytes));
  return data;
}

}  // namespace

std::vector<std::uint8_t> fill_buffer(const PlannedBuffer& buffer, int argument_index,
                                      std::uint64_t seed) {
  const std::int64_t count = buffer.kind == ArgumentKind::scalar ? 1 : buffer.count;
  const std::uint64_t stream = stream_of(seed, argument_index);
  return visit_type(buffer.type, [&]<class T>(std::type_identity<T>) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (buffer.fill.kind == Fill::Kind::file && !buffer.has_value) return read_file(buffer, bytes);

    std::vector<std::uint8_t> data(bytes);
    if (buffer.has_value) {
      store_element(data.data(), 0, static_cast<T>(buffer.value));
      return data;
    }
    parallel_ranges(count, 1 << 18, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        store_element(data.data(), i, filled_element<T>(buffer, stream, i, count));
    });
    return data;
  });
}

}  // namespace tilewright
