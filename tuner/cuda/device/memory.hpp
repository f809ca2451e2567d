#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/cuda/device/check.hpp"

namespace tilewright::cuda {

// Owns one CUDA handle and releases it by kRelease. Empty after a move.
template <class Handle, auto kRelease>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != Handle{}) swallow(kRelease(handle_));
  }

  Handle get() const { return handle_; }
  Handle release() { return std::exchange(handle_, Handle{}); }

 private:
  Handle handle_ = {};
};

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;
using CodeLibrary = Owned<cudaLibrary_t, cudaLibraryUnload>;
using DeviceMemory = Owned<void*, cudaFree>;
using PinnedMemory = Owned<void*, cudaFreeHost>;
using CudaArray = Owned<cudaArray_t, cudaFreeArray>;
using TextureObject = Owned<cudaTextureObject_t, cudaDestroyTextureObject>;

Stream make_stream();  // not synchronised with the default stream
Event make_event();    // with timing

// Nothing if the device has too little memory left. Throws MachineError for every other error.
std::optional<DeviceMemory> try_allocate(std::int64_t bytes);

// Throws a MachineError that names the size.
DeviceMemory allocate(std::int64_t bytes);

// Device memory between two guard zones. The data is aligned to kAlignment. The second guard zone
// begins with the first byte after the data.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  // Throws MachineError. Guard zones of 0 bytes leave the bounds to tools like compute-sanitizer.
  GuardedBuffer(std::int64_t bytes, std::int64_t guard_bytes);
  // In memory of all three.
  GuardedBuffer(DeviceMemory memory, std::int64_t bytes, std::int64_t guard_bytes)
      : memory_(std::move(memory)), bytes_(bytes), guard_bytes_(guard_bytes) {}

  std::uint8_t* data() const { return guard_before() + guard_bytes_; }
  std::int64_t size() const { return bytes_; }
  std::int64_t guard_size() const { return guard_bytes_; }
  std::uint8_t* guard_before() const { return static_cast<std::uint8_t*>(memory_.get()); }
  std::uint8_t* guard_after() const { return data() + bytes_; }

  void fill_guards(cudaStream_t stream) const;
  // Enqueues setting each byte of the data to `value`. Throws TrialError.
  void fill(int value, cudaStream_t stream, std::string_view what) const;

 private:
  DeviceMemory memory_;
  std::int64_t bytes_ = 0;
  std::int64_t guard_bytes_ = 0;
};

// The buffer's bytes after all earlier work of the stream. Waits for it. Throws TrialError.
std::vector<std::uint8_t> download(const GuardedBuffer& buffer, cudaStream_t stream);

// Fills `host` from memory of a GPU that this process has a pointer to. Waits for work on the
// legacy default stream and on streams that synchronise with it. Throws MachineError, and
// InputError with the argument's name if the pointer is not to such memory.
void read_caller_memory(const void* device, std::span<std::uint8_t> host,
                        const std::string& argument);

// Of device memory that this program divides, in bytes: textures of linear memory need it.
inline constexpr std::int64_t kAlignment = 512;

// The least multiple of kAlignment that is not below `bytes`.
std::int64_t aligned(std::int64_t bytes);

// Host memory that the device copies to, handed out in pieces. It is pinned if the system has that
// much, else ordinary memory, which is slower.
class StagingArea {
 public:
  StagingArea() = default;
  explicit StagingArea(std::int64_t bytes);

  void clear() { used_ = 0; }
  // A piece takes aligned(bytes). Throws std::length_error if it is full.
  std::span<std::uint8_t> take(std::int64_t bytes);

 private:
  PinnedMemory pinned_;
  std::vector<std::uint8_t> ordinary_;
  std::int64_t size_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace tilewright::cuda
