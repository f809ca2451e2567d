#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright {

// The size of a tensor map as a kernel's parameter.
inline constexpr std::int64_t kTensorMapBytes = 128;

// The first compute capability (10 · major + minor) with bulk tensor copies.
inline constexpr int kFirstCapabilityWithTensorMaps = 90;

// A TensorMap with every expression worked out.
struct PlannedTensorMap {
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> dims;     // elements, neighbours first
  std::vector<std::int64_t> strides;  // elements, of every dimension but the first
  std::vector<std::int64_t> box;      // elements
  std::int64_t swizzle = 0;           // bytes: 0, 32, 64 or 128
  std::int64_t promote = 0;           // bytes: 0, 64, 128 or 256

  bool operator==(const PlannedTensorMap&) const = default;
};

// The first rule that the map breaks, in one sentence. The rules are those of the CUDA driver's
// cuTensorMapEncodeTiled without interleaving.
std::optional<std::string> tensor_map_error(const PlannedTensorMap& map);

}  // namespace tilewright
