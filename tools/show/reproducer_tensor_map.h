// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda.h>

#include "reproducer_harness.h"

// Tensor maps of a reproducer.

namespace tilewright_reproducer {

struct Box {
  CUtensorMapDataType type;
  std::vector<cuuint64_t> dims;     // elements, neighbours first
  std::vector<cuuint64_t> strides;  // bytes, of every dimension but the first
  std::vector<cuuint32_t> box;      // elements
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
};

// The runtime finds the driver's function, so that nothing need be linked.
inline decltype(&cuTensorMapEncodeTiled) encode_function() {
  constexpr const char* kName = "cuTensorMapEncodeTiled";
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(kName, &function, 12000, cudaEnableDefault, &status),
        kName);
#else
  check(cudaGetDriverEntryPoint(kName, &function, cudaEnableDefault, &status), kName);
#endif
  if (status != cudaDriverEntryPointSuccess || function == nullptr)
    check(cudaErrorSymbolNotFound, kName);
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

inline Parameter<sizeof(CUtensorMap)> tensor_map(const Box& box, void* base) {
  CUtensorMap map = {};
  std::vector<cuuint64_t> strides = box.strides;
  strides.push_back(0);  // not looked at, but with one dimension there must be an array
  const std::vector<cuuint32_t> every_element(box.dims.size(), 1);
  const CUresult result = encode_function()(
      &map, box.type, static_cast<cuuint32_t>(box.dims.size()), base, box.dims.data(),
      strides.data(), box.box.data(), every_element.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      box.swizzle, box.promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) check(cudaErrorInvalidValue, "encoding a tensor map");
  return parameter<sizeof(CUtensorMap)>(&map);
}

}  // namespace tilewright_reproducer
