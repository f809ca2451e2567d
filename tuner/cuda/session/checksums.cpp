// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/cuda/session/checksums.hpp"

#include <algorithm>

namespace tilewright::cuda {
namespace {

constexpr const char* kWhat = "adding up the inputs";

}  // namespace

Checksums::Checksums(const ServiceKernels& kernels, std::size_t arguments, cudaStream_t stream)
    : kernels_(kernels),
      stream_(stream),
      sums_(allocate(
          static_cast<std::int64_t>(std::max<std::size_t>(arguments, 1) * sizeof(std::uint64_t)))) {
}

std::vector<std::uint64_t> Checksums::of_inputs(const Operands& operands) const {
  std::vector<std::uint64_t> sums(operands.plan().size(), 0);
  const std::size_t bytes = sums.size() * sizeof(std::uint64_t);
  auto* const device = static_cast<std::uint64_t*>(sums_.get());
  check_trial(cudaMemsetAsync(device, 0, bytes, stream_), kWhat);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (operands.is_input(i))
      kernels_.add_checksum(operands.device(i).data(), operands.device(i).size(), device + i);
  check_trial(cudaMemcpyAsync(sums.data(), device, bytes, cudaMemcpyDeviceToHost, stream_), kWhat);
  check_trial(cudaStreamSynchronize(stream_), kWhat);
  return sums;
}

}  // namespace tilewright::cuda
