// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "reproducer_harness.h"

// Textures of a reproducer.

namespace tilewright_reproducer {

struct TextureShape {
  int dimensions;
  bool is_array;  // else linear memory
  cudaChannelFormatDesc channels;
  std::size_t width, height, depth;  // elements; 1 for dimensions that it does not have
  std::size_t row_bytes;             // from one row of the buffer to the next
  std::size_t rows_per_slice;        // of the buffer
};

class Texture {
 public:
  Texture(const TextureShape& shape, const cudaTextureDesc& description, void* memory) {
    cudaResourceDesc resource = {};
    if (shape.is_array) {
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array_ = copied(shape, memory);
    } else if (shape.dimensions == 1) {
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear.devPtr = memory;
      resource.res.linear.desc = shape.channels;
      resource.res.linear.sizeInBytes = shape.row_bytes;
    } else {
      resource.resType = cudaResourceTypePitch2D;
      resource.res.pitch2D.devPtr = memory;
      resource.res.pitch2D.desc = shape.channels;
      resource.res.pitch2D.width = shape.width;
      resource.res.pitch2D.height = shape.height;
      resource.res.pitch2D.pitchInBytes = shape.row_bytes;
    }
    check(cudaCreateTextureObject(&object_, &resource, &description, nullptr), "making a texture");
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  ~Texture() {
    cudaDestroyTextureObject(object_);
    if (array_ != nullptr) cudaFreeArray(array_);
  }

  cudaTextureObject_t object() const { return object_; }

 private:
  static cudaArray_t copied(const TextureShape& shape, void* memory) {
    cudaArray_t array = nullptr;
    const cudaExtent extent = {shape.width, shape.dimensions > 1 ? shape.height : 0,
                               shape.dimensions > 2 ? shape.depth : 0};
    check(cudaMalloc3DArray(&array, &shape.channels, extent), "making an array");
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = {memory, shape.row_bytes, shape.width, shape.rows_per_slice};
    copy.dstArray = array;
    copy.extent = {shape.width, shape.height, shape.depth};
    copy.kind = cudaMemcpyDeviceToDevice;
    check(cudaMemcpy3D(&copy), "filling an array");
    return array;
  }

  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

// The texture of that number over an argument. The first call with the operands makes it, which is
// not timed.
inline Parameter<sizeof(cudaTextureObject_t)> texture(const Operands& operands, std::size_t number,
                                                      std::size_t argument,
                                                      const TextureShape& shape,
                                                      const cudaTextureDesc& description) {
  std::shared_ptr<void>& kept = operands.attached(number);
  if (!kept) kept = std::make_shared<Texture>(shape, description, operands.address(argument));
  const cudaTextureObject_t object = static_cast<const Texture*>(kept.get())->object();
  return parameter<sizeof object>(&object);
}

}  // namespace tilewright_reproducer
