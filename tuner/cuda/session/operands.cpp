#include "tuner/cuda/session/operands.hpp"

#include <fmt/format.h>

#include <utility>

#include "tuner/verify/compare.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright::cuda {
namespace {

std::int64_t byte_count(const PlannedBuffer& buffer) {
  return buffer.count * static_cast<std::int64_t>(size_of(buffer.type));
}

// An array is passed as a struct with its whole capacity.
std::vector<std::uint8_t> as_parameter(const PlannedBuffer& buffer,
                                       std::vector<std::uint8_t> bytes) {
  if (buffer.kind == ArgumentKind::array)
    bytes.resize(static_cast<std::size_t>(buffer.capacity) * size_of(buffer.type));
  return bytes;
}

}  // namespace

Operands::Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes,
                   cudaStream_t stream)
    : plan_(std::move(buffers)),
      host_(plan_.size()),
      values_(plan_.size()),
      device_(plan_.size()),
      pristine_(plan_.size()),
      pointers_(plan_.size(), nullptr) {
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const PlannedBuffer& buffer = plan_[i];
    if (buffer.role != ArgumentRole::output)
      host_[i] = fill_buffer(buffer, static_cast<int>(i), seed);
    if (!is_buffer(i)) {
      values_[i] = as_parameter(buffer, host_[i]);
      continue;
    }
    if (buffer.role == ArgumentRole::input && byte_count(buffer) <= kMostParameterBytes)
      values_[i] = host_[i];
    device_[i] = GuardedBuffer(byte_count(buffer), guard_bytes);
    pointers_[i] = device_[i].data();
    if (buffer.role == ArgumentRole::inout) {
      pristine_[i] = allocate(byte_count(buffer));
      upload(i, static_cast<std::uint8_t*>(pristine_[i].get()), stream);
    }
  }
  repair(stream);
  prepare(stream);
  check(cudaStreamSynchronize(stream), "upload the inputs");
}

std::int64_t Operands::device_bytes() const {
  std::int64_t bytes = 0;
  for (const GuardedBuffer& buffer : device_) bytes += buffer.size();
  return bytes;
}

void Operands::prepare(cudaStream_t stream) const {
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (is_buffer(i) && plan_[i].role == ArgumentRole::output)
      check_trial(cudaMemsetAsync(device_[i].data(), kPoison,
                                  static_cast<std::size_t>(device_[i].size()), stream),
                  "poisoning the outputs");
  restore_inouts(stream);
}

void Operands::restore_inouts(cudaStream_t stream) const {
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (pristine_[i].get() != nullptr)
      check_trial(cudaMemcpyAsync(device_[i].data(), pristine_[i].get(),
                                  static_cast<std::size_t>(device_[i].size()),
                                  cudaMemcpyDeviceToDevice, stream),
                  "restoring the operands");
}

void Operands::repair(cudaStream_t stream) const {
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    if (!is_buffer(i)) continue;
    device_[i].fill_guards(stream);
    if (plan_[i].role == ArgumentRole::input) upload(i, device_[i].data(), stream);
  }
}

void Operands::upload(std::size_t index, std::uint8_t* target, cudaStream_t stream) const {
  check(cudaMemcpyAsync(target, host_[index].data(), host_[index].size(), cudaMemcpyHostToDevice,
                        stream),
        fmt::format("upload {}", plan_[index].name));
}

}  // namespace tilewright::cuda
