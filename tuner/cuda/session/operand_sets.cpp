#include "tuner/cuda/session/operand_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tilewright/error.hpp"
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

OperandSets::OperandSets(const Operands& first, int wanted, cudaStream_t stream) {
  pointers_.emplace_back(first.pointers().begin(), first.pointers().end());
  const std::vector<std::int64_t> offsets = offsets_of(first);
  const int copies = wanted - 1;
  if (copies <= 0) return;
  std::optional<DeviceMemory> memory = try_allocate(copies * offsets.back());
  if (!memory)
    throw InputError(
        fmt::format("cold timing rotates {} sets of operands of {} bytes each, and the device "
                    "has too little memory; warm timing needs one set",
                    wanted, offsets.back()));
  copies_ = std::move(*memory);
  auto* base = static_cast<std::uint8_t*>(copies_.get());
  fill_copies(base, copies, first, offsets, stream);
  for (int set = 0; set < copies; ++set) {
    std::vector<void*> pointers(first.plan().size(), nullptr);
    for (std::size_t i = 0; i < pointers.size(); ++i)
      if (first.is_buffer(i)) pointers[i] = base + set * offsets.back() + offsets[i];
    pointers_.push_back(std::move(pointers));
  }
}

std::span<void* const> OperandSets::for_call(int call) const {
  return pointers_[static_cast<std::size_t>(call) % pointers_.size()];
}

}  // namespace tilewright::cuda
