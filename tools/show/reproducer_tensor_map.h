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
  std::vector<cuuint32_t> box;      // elements; with corners: channels, pixels
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  // Of the dimensions between the first and the last; corners are im2col mode's.
  std::vector<int> lower_corner = {};
  std::vector<int> upper_corner = {};
  std::vector<cuuint32_t> element_strides = {};
};

// The runtime finds the driver's function, so that nothing need be linked. `parts` is what the
// modes differ in.
template <class Encode, class... Parts>
Parameter<sizeof(CUtensorMap)> encoded_by(const char* name, const Box& box, void* base,
                                          Parts... parts) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status), name);
#else
  check(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &status), name);
#endif
  if (status != cudaDriverEntryPointSuccess || function == nullptr)
    check(cudaErrorSymbolNotFound, name);
  CUtensorMap map = {};
  std::vector<cuuint64_t> strides = box.strides;
  strides.push_back(0);  // not looked at, but with one dimension there must be an array
  const CUresult result = reinterpret_cast<Encode>(function)(
      &map, box.type, static_cast<cuuint32_t>(box.dims.size()), base, box.dims.data(),
      strides.data(), parts..., CU_TENSOR_MAP_INTERLEAVE_NONE, box.swizzle, box.promotion,
      box.fill);
  if (result != CUDA_SUCCESS) check(cudaErrorInvalidValue, "encoding a tensor map");
  return parameter<sizeof(CUtensorMap)>(&map);
}

inline Parameter<sizeof(CUtensorMap)> tensor_map(const Box& box, void* base) {
  std::vector<cuuint32_t> every(box.dims.size(), 1);
  for (std::size_t i = 0; i < box.element_strides.size(); ++i)
    every[i + 1] = box.element_strides[i];
  if (box.lower_corner.empty()) {
    std::vector<cuuint32_t> extents;  // with the elements that are left out
    for (std::size_t d = 0; d < every.size(); ++d)
      extents.push_back((box.box[d] - 1) * every[d] + 1);
    return encoded_by<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled", box, base,
                                                         extents.data(), every.data());
  }
  return encoded_by<decltype(&cuTensorMapEncodeIm2col)>(
      "cuTensorMapEncodeIm2col", box, base, box.lower_corner.data(), box.upper_corner.data(),
      box.box[0], box.box[1], every.data());
}

}  // namespace tilewright_reproducer
