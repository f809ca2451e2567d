#include "tuner/cuda/device/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "definition/text/errors.hpp"
#include "tuner/cuda/device/devices.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {
namespace {

std::size_t to_size(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  return Stream(stream);
}

Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault), "create an event");
  return Event(event);
}

std::optional<DeviceMemory> try_allocate(std::int64_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, to_size(std::max<std::int64_t>(bytes, 1)));
  if (error == cudaErrorMemoryAllocation) {
    swallow(error);
    return std::nullopt;
  }
  check(error, fmt::format("allocate {} bytes on the device", bytes));
  return DeviceMemory(memory);
}

DeviceMemory allocate(std::int64_t bytes) {
  std::optional<DeviceMemory> memory = try_allocate(bytes);
  if (!memory)
    check(cudaErrorMemoryAllocation, fmt::format("allocate {} bytes on the device", bytes));
  return std::move(*memory);
}

GuardedBuffer::GuardedBuffer(std::int64_t bytes, std::int64_t guard_bytes)
    : GuardedBuffer(allocate(bytes + 2 * guard_bytes), bytes, guard_bytes) {}

void GuardedBuffer::fill_guards(cudaStream_t stream) const {
  static_assert(kGuardBytes % kAlignment == 0, "guards must keep the data aligned");
  if (guard_bytes_ == 0) return;
  for (std::uint8_t* const guard : {guard_before(), guard_after()})
    check(cudaMemsetAsync(guard, kGuardByte, to_size(guard_bytes_), stream), "fill a guard zone");
}

void GuardedBuffer::fill(int value, cudaStream_t stream, std::string_view what) const {
  if (bytes_ > 0) check_trial(cudaMemsetAsync(data(), value, to_size(bytes_), stream), what);
}

std::vector<std::uint8_t> download(const GuardedBuffer& buffer, cudaStream_t stream) {
  constexpr const char* kWhat = "reading what the device holds";
  std::vector<std::uint8_t> bytes(to_size(buffer.size()));
  check_trial(
      cudaMemcpyAsync(bytes.data(), buffer.data(), bytes.size(), cudaMemcpyDeviceToHost, stream),
      kWhat);
  check_trial(cudaStreamSynchronize(stream), kWhat);
  return bytes;
}

void read_caller_memory(const void* device, std::span<std::uint8_t> host,
                        const std::string& argument) {
  const KeepCurrentDevice keep;
  cudaPointerAttributes attributes = {};
  check(cudaPointerGetAttributes(&attributes, device),
        fmt::format("look at the memory of '{}'", argument));
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    throw bad_input("array '{}': its data are not in memory of a GPU", argument);
  int now = -1;
  check(cudaGetDevice(&now), "ask for the current device");
  // If the device is current already, the thread keeps its context. Another library may have made
  // it.
  if (attributes.device != now)
    check(cudaSetDevice(attributes.device), fmt::format("use the device of '{}'", argument));
  check(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDefault),
        fmt::format("copy '{}' from the GPU", argument));
}

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

StagingArea::StagingArea(std::int64_t bytes) : size_(bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMallocHost(&memory, to_size(std::max<std::int64_t>(bytes, 1)));
  if (error == cudaSuccess) {
    pinned_ = PinnedMemory(memory);
    return;
  }
  swallow(error);
  ordinary_.resize(to_size(bytes));
}

std::span<std::uint8_t> StagingArea::take(std::int64_t bytes) {
  const std::int64_t room = aligned(bytes);
  if (used_ + room > size_) throw std::length_error("the staging area is full");
  auto* base =
      pinned_.get() != nullptr ? static_cast<std::uint8_t*>(pinned_.get()) : ordinary_.data();
  std::uint8_t* piece = base + used_;
  used_ += room;
  return {piece, to_size(bytes)};
}

}  // namespace tilewright::cuda
