// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tilewright/narrow_float.hpp"
#include "tuner/verify/fill_elements.h"

// Inputs of a reproducer: bit by bit those that tilewright fills from the same seed.

namespace tilewright_reproducer {

using namespace tilewright::elements;

using Bytes = std::vector<std::uint8_t>;

template <class T>
Bytes filled(const FillRule& rule, std::int64_t count, int argument, std::uint64_t seed) {
  Bytes bytes(static_cast<std::size_t>(count) * sizeof(T));
  const std::uint64_t stream = stream_of(seed, argument);
  for (std::int64_t i = 0; i < count; ++i)
    store_element(bytes.data(), i, filled_element<T>(rule, stream, i, count));
  return bytes;
}

template <class T, class Number>
Bytes bytes_of(Number value) {
  Bytes bytes(sizeof(T));
  store_element(bytes.data(), 0, static_cast<T>(value));
  return bytes;
}

inline Bytes bytes_of_file(const char* path, long begin, std::size_t size) {
  Bytes bytes(size);
  std::FILE* const file = std::fopen(path, "rb");
  const bool is_there = file != nullptr && std::fseek(file, begin, SEEK_SET) == 0;
  const std::size_t got = is_there ? std::fread(bytes.data(), 1, size, file) : 0;
  if (file != nullptr) std::fclose(file);
  if (got == size) return bytes;
  std::fprintf(stderr, "%s: %zu bytes are needed, and %zu could be read\n", path, size, got);
  std::exit(2);
}

}  // namespace tilewright_reproducer
