// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// How inputs are filled. Sweeps compile this file, and reproducers hold its text. So it is C++17,
// needs the standard library only, and works for every element type without a list of them.

namespace tilewright::elements {

// Elements of T in raw bytes, which need not be aligned for T.
template <class T>
T load_element(const std::uint8_t* bytes, std::int64_t index) {
  T value;
  std::memcpy(&value, bytes + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store_element(std::uint8_t* bytes, std::int64_t index, T value) {
  std::memcpy(bytes + static_cast<std::size_t>(index) * sizeof(T), &value, sizeof(T));
}

// A complex number has two parts. Any other element is one.
template <class T>
struct Parts {
  using Part = T;
};
template <class Real>
struct Parts<std::complex<Real>> {
  using Part = Real;
};

enum class Filling { uniform, integers, sorted, constant, normal, offsets, permutation };

struct FillRule {
  Filling filling;
  double low;              // normal: the mean
  double high;             // normal: the deviation
  double correlation = 1;  // a number is drawn for every so many elements; others lie between them
  double border = 0;       // so many elements at the edges of each image are 0
  double rows = 0;         // of an image
  double columns = 0;      // of an image; 0: correlation is along a line
};

// splitmix64's output function: Steele, Lea and Flood, Fast splittable pseudorandom number
// generators, 2014.
inline std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

// The random numbers of one argument.
inline std::uint64_t stream_of(std::uint64_t seed, int argument) {
  return mix(mix(seed) + static_cast<std::uint64_t>(argument) + 1);
}

// In [0, 1), for one element: the upper 53 of its random bits.
inline double random_unit(std::uint64_t stream, std::int64_t index) {
  const std::uint64_t step = (static_cast<std::uint64_t>(index) + 1) * 0x9E3779B97F4A7C15ULL;
  return static_cast<double>(mix(stream + step) >> 11) * 0x1p-53;
}

// With mean 0 and deviation 1, for one element: the sum of 48 uniform numbers of 16 bits. It is
// made of integers, so every machine has the same bits, which no machine's log and cos would give.
inline double random_normal(std::uint64_t stream, std::int64_t index) {
  constexpr std::uint64_t kLanes = 0x0000FFFF0000FFFFULL;
  constexpr int kWords = 12;
  const std::uint64_t first = static_cast<std::uint64_t>(index) * kWords;
  std::uint64_t sums = 0;  // in two halves
  for (std::uint64_t word = 1; word <= kWords; ++word) {
    const std::uint64_t bits = mix(stream + (first + word) * 0x9E3779B97F4A7C15ULL);
    sums += (bits & kLanes) + ((bits >> 16) & kLanes);
  }
  const auto sum = static_cast<std::int64_t>((sums & 0xFFFFFFFFU) + (sums >> 32));
  return static_cast<double>(sum - std::int64_t{2} * kWords * 0xFFFF) * 0x1p-17;
}

// Where an element lies between those for which numbers are drawn.
struct Between {
  std::int64_t first;  // the cell before it
  double share;        // of the next cell
};

inline Between between(std::int64_t place, std::int64_t length) {
  return {place / length, static_cast<double>(place % length) / static_cast<double>(length)};
}

// A number of `draw`, or one between numbers that it gives for neighbouring cells of a line or an
// image.
template <class Draw>
double correlated(const FillRule& rule, std::uint64_t stream, std::int64_t index, Draw draw) {
  if (!(rule.correlation > 1)) return draw(stream, index);
  const auto length = static_cast<std::int64_t>(rule.correlation);
  const auto mixed = [](double a, double b, double share) { return (1 - share) * a + share * b; };
  if (!(rule.columns > 0)) {
    const Between x = between(index, length);
    return mixed(draw(stream, x.first), draw(stream, x.first + 1), x.share);
  }
  const auto columns = static_cast<std::int64_t>(rule.columns);
  const Between x = between(index % columns, length);
  const Between y = between(index / columns, length);
  const std::int64_t pitch = columns / length + 2;
  const auto along = [&](std::int64_t row) {
    const std::int64_t cell = row * pitch + x.first;
    return mixed(draw(stream, cell), draw(stream, cell + 1), x.share);
  };
  return mixed(along(y.first), along(y.first + 1), y.share);
}

inline bool is_in_border(const FillRule& rule, std::int64_t index) {
  if (!(rule.border > 0)) return false;
  const auto columns = static_cast<std::int64_t>(rule.columns);
  const auto column = static_cast<double>(index % columns);
  const auto row = static_cast<double>(index / columns % static_cast<std::int64_t>(rule.rows));
  return row < rule.border || row >= rule.rows - rule.border || column < rule.border ||
         column >= rule.columns - rule.border;
}

// Where `index` goes in a random order of the numbers below `count`: a Feistel network of four
// rounds over the next power of four, repeated until the result is below `count`.
inline std::uint64_t permuted(std::uint64_t stream, std::uint64_t index, std::uint64_t count) {
  int bits = 1;
  while ((std::uint64_t{1} << (2 * bits)) < count) ++bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  do {
    std::uint64_t left = index >> bits;
    std::uint64_t right = index & mask;
    for (std::uint64_t round = 1; round <= 4; ++round) {
      const std::uint64_t next =
          left ^ (mix(stream + round * 0x9E3779B97F4A7C15ULL + right) & mask);
      left = right;
      right = next;
    }
    index = left << bits | right;
  } while (index >= count);
  return index;
}

// The greatest finite value of T.
template <class T>
double greatest() {
  if constexpr (std::numeric_limits<T>::is_specialized)
    return static_cast<double>(std::numeric_limits<T>::max());
  else
    return static_cast<double>(T::greatest());
}

// The nearest value of T, at the ends of its range if it lies beyond them.
template <class T>
T to_element(double value) {
  if constexpr (std::is_integral<T>::value) {
    if (!(value > static_cast<double>(std::numeric_limits<T>::lowest())))
      return std::numeric_limits<T>::lowest();
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else {
    static const double most = greatest<T>();
    return static_cast<T>(value > most ? most : value < -most ? -most : value);
  }
}

// The same, but infinity stays where T has it.
template <class T>
T constant_element(double value) {
  if constexpr (!std::is_integral<T>::value)
    if (std::isinf(value)) return static_cast<T>(value);
  return to_element<T>(value);
}

// `value` in [low, high), kept there when T rounds it up to `high`.
template <class T>
T uniform_element(double value, const FillRule& rule) {
  if constexpr (std::is_integral<T>::value) {
    return to_element<T>(std::floor(value));
  } else {
    using std::nextafter;
    const T element = to_element<T>(value);
    const T limit = to_element<T>(rule.high);
    using Next = decltype(nextafter(limit, limit));
    static_assert(std::is_same<Next, T>::value, "nextafter would round to another type");
    const bool is_over =
        static_cast<double>(element) >= static_cast<double>(limit) && rule.low < rule.high;
    return is_over ? nextafter(limit, to_element<T>(rule.low)) : element;
  }
}

// Of `count` ascending numbers, of which the first is low and the last is high.
template <class T>
T offset_element(const FillRule& rule, double place, std::int64_t index, std::int64_t count) {
  if (index + 1 == count) return to_element<T>(rule.high);
  if (index == 0) return to_element<T>(rule.low);
  const double share = (static_cast<double>(index) + place - 0.5) / static_cast<double>(count - 1);
  return to_element<T>(std::floor(rule.low + (rule.high - rule.low) * share));
}

template <class T>
T filled_part(const FillRule& rule, std::uint64_t stream, std::int64_t index, std::int64_t count) {
  if (rule.filling == Filling::normal)
    return to_element<T>(rule.low + rule.high * correlated(rule, stream, index, random_normal));
  if (rule.filling == Filling::permutation)
    return to_element<T>(rule.low +
                         static_cast<double>(permuted(stream, static_cast<std::uint64_t>(index),
                                                      static_cast<std::uint64_t>(count))));
  if (rule.filling == Filling::uniform) {
    const double share = correlated(rule, stream, index, random_unit);
    return uniform_element<T>(rule.low + (rule.high - rule.low) * share, rule);
  }
  const double place = random_unit(stream, index);
  if (rule.filling == Filling::offsets) return offset_element<T>(rule, place, index, count);
  const double width = rule.high - rule.low;
  if (rule.filling == Filling::constant) return constant_element<T>(rule.low);
  if (rule.filling == Filling::sorted) {
    // One number from each of `count` equal steps: ascending, without a sort.
    const double step = (static_cast<double>(index) + place) / static_cast<double>(count);
    return uniform_element<T>(rule.low + width * step, rule);
  }
  const double values = std::floor(rule.high) - std::ceil(rule.low) + 1;
  return to_element<T>(std::ceil(rule.low) + std::floor(values * place));
}

// The parts of complex numbers are filled as so many numbers.
template <class T>
T filled_element(const FillRule& rule, std::uint64_t stream, std::int64_t index,
                 std::int64_t count) {
  using Part = typename Parts<T>::Part;
  if (is_in_border(rule, index)) return T(to_element<Part>(0));
  if constexpr (std::is_same<T, Part>::value)
    return filled_part<T>(rule, stream, index, count);
  else
    return {filled_part<Part>(rule, stream, 2 * index, 2 * count),
            filled_part<Part>(rule, stream, 2 * index + 1, 2 * count)};
}

}  // namespace tilewright::elements
