#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tuner/backend/executable.hpp"
#include "tuner/cuda/device/memory.hpp"

namespace tilewright::cuda {

// An element, and how it is read, as CUDA's runtime has them.
cudaChannelFormatDesc texture_channels(const PlannedTexture& texture);
cudaTextureDesc texture_description(const TextureModes& modes);

// One texture object on the current device, and the CUDA array that it reads, if it reads one.
class Texture {
 public:
  // `memory` is the buffer that a texture of linear memory reads; of an array it does not matter.
  // Throws TrialError if the device refuses.
  Texture(const PlannedTexture& planned, void* memory);

  // Enqueues the copy of the buffer to the array, if there is one.
  void fill(const PlannedTexture& planned, const void* from, cudaStream_t stream) const;
  TextureHandle handle() const { return object_.get(); }

 private:
  CudaArray array_;
  TextureObject object_;  // ends before its array
};

// The textures of a plan over whatever buffers its calls are given. There is one array for each
// texture, so the calls of a plan with arrays must follow one another. A texture of linear memory
// has an object for each address. They are all kept, because nobody knows when the work that reads
// one has ended, or whether a graph will read it again. Thread-safe. Throws TrialError.
class Textures {
 public:
  explicit Textures(std::vector<PlannedTexture> plan);

  bool has_arrays() const;
  std::vector<TextureHandle> find(std::span<const CallArgument> arguments);
  // Enqueues the copies to the arrays. To be called before a call, and again when the buffers have
  // changed.
  void fill(std::span<const CallArgument> arguments, cudaStream_t stream);

 private:
  const Texture& texture(std::size_t number, void* memory);

  std::vector<PlannedTexture> plan_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, void*>, Texture> known_;  // an array's address is null
};

}  // namespace tilewright::cuda
