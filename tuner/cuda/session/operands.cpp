#include "tuner/cuda/session/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "definition/text/errors.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::cuda {
namespace {

// Between the buffers of a copy, so that an access a little beyond a buffer hits no other buffer.
constexpr std::int64_t kGap = kGuardBytes;

// Where each buffer of a copy begins; the last entry is the length of a copy.
std::vector<std::int64_t> offsets_of(const Operands& operands) {
  std::vector<std::int64_t> offsets;
  std::int64_t end = kGap;
  for (std::size_t i = 0; i < operands.plan().size(); ++i) {
    offsets.push_back(end);
    if (operands.is_buffer(i)) end += aligned(operands.device(i).size()) + kGap;
  }
  offsets.push_back(end);
  return offsets;
}

void copy(std::uint8_t* target, const std::uint8_t* source, std::int64_t bytes,
          cudaStream_t stream) {
  check_trial(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes),
                              cudaMemcpyDeviceToDevice, stream),
              "copying operand sets");
}

void fill_copies(std::uint8_t* base, int copies, const Operands& first,
                 const std::vector<std::int64_t>& offsets, cudaStream_t stream) {
  const std::int64_t length = offsets.back();
  check_trial(cudaMemsetAsync(base, kGuardByte, static_cast<std::size_t>(length), stream),
              "copying operand sets");
  for (std::size_t i = 0; i < first.plan().size(); ++i)
    if (first.is_buffer(i))
      copy(base + offsets[i], first.device(i).data(), first.device(i).size(), stream);
  for (int done = 1; done < copies;) {
    const int more = std::min(done, copies - done);
    copy(base + done * length, base, more * length, stream);
    done += more;
  }
  check_trial(cudaStreamSynchronize(stream), "copying operand sets");
}

}  // namespace

Operands::Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes,
                   cudaStream_t stream)
    : OperandData(std::move(buffers), seed),
      stream_(stream),
      device_(plan().size()),
      pristine_(plan().size()) {
  for (std::size_t i = 0; i < plan().size(); ++i) {
    if (!is_buffer(i)) continue;
    device_[i] = GuardedBuffer(bytes_of(i), guard_bytes);
    set_memory(i, device_[i].data());
    if (!has_role(i, ArgumentRole::inout)) continue;
    pristine_[i] = allocate(bytes_of(i));
    upload(i, pristine_[i].get());
  }
  repair();
  prepare();
  check(cudaStreamSynchronize(stream), "upload the inputs");
}

void Operands::keep(std::size_t index) {
  set_before(index, download(device_[index], stream_));
  if (pristine_[index].get() == nullptr) return;
  upload(index, pristine_[index].get());
  check(cudaStreamSynchronize(stream_), "keep what a kernel has filled");
}

BytesOf Operands::bytes() const {
  return [this, bytes = std::vector<std::uint8_t>()](std::size_t argument) mutable {
    bytes = download(device_[argument], stream_);
    return std::span<const std::uint8_t>(bytes);
  };
}

std::int64_t Operands::device_bytes() const {
  std::int64_t bytes = 0;
  for (const GuardedBuffer& buffer : device_) bytes += buffer.size();
  return bytes;
}

void Operands::prepare() const {
  for (std::size_t i = 0; i < plan().size(); ++i)
    if (has_role(i, ArgumentRole::output))
      device_[i].fill(kPoison, stream_, "poisoning the outputs");
  restore_inouts();
}

void Operands::restore_inouts() const {
  for (std::size_t i = 0; i < plan().size(); ++i)
    if (pristine_[i].get() != nullptr)
      check_trial(cudaMemcpyAsync(device_[i].data(), pristine_[i].get(),
                                  static_cast<std::size_t>(device_[i].size()),
                                  cudaMemcpyDeviceToDevice, stream_),
                  "restoring the operands");
}

void Operands::repair() const {
  for (std::size_t i = 0; i < plan().size(); ++i) {
    if (!is_buffer(i)) continue;
    device_[i].fill_guards(stream_);
    if (is_input(i)) upload(i, device_[i].data());
  }
}

void Operands::restore() const {
  repair();
  prepare();
  check_trial(cudaStreamSynchronize(stream_), "restoring the operands");
}

void Operands::upload(std::size_t index, void* target) const {
  check(cudaMemcpyAsync(target, before()[index].data(), before()[index].size(),
                        cudaMemcpyHostToDevice, stream_),
        fmt::format("upload {}", plan()[index].name));
}

OperandSets::OperandSets(const Operands& first, int wanted, cudaStream_t stream) {
  const std::span<const CallArgument> own = first.call({}).arguments;
  sets_.emplace_back(own.begin(), own.end());
  const std::vector<std::int64_t> offsets = offsets_of(first);
  const int copies = wanted - 1;
  if (copies <= 0) return;
  std::optional<DeviceMemory> memory = try_allocate(copies * offsets.back());
  if (!memory)
    throw bad_input(
        "cold timing rotates {} sets of operands of {} bytes each, and the device "
        "has too little memory; warm timing needs one set",
        wanted, offsets.back());
  copies_ = std::move(*memory);
  auto* base = static_cast<std::uint8_t*>(copies_.get());
  fill_copies(base, copies, first, offsets, stream);
  for (int set = 0; set < copies; ++set) {
    std::vector<CallArgument>& arguments = sets_.emplace_back(sets_.front());
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (first.is_buffer(i)) arguments[i].memory = base + set * offsets.back() + offsets[i];
  }
}

}  // namespace tilewright::cuda
