#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tilewright {

inline PlannedBuffer make_buffer(const std::string& name, std::int64_t count,
                                 ElementType type = ElementType::float32,
                                 ArgumentRole role = ArgumentRole::input) {
  PlannedBuffer buffer;
  buffer.name = name;
  buffer.count = count;
  buffer.type = type;
  buffer.role = role;
  return buffer;
}

template <class T>
std::vector<std::uint8_t> to_bytes(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> from_bytes(const std::vector<std::uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace tilewright
