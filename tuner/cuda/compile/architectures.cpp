#include "tuner/cuda/compile/architectures.hpp"

#include <cuda_occupancy.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "definition/text/errors.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kDefaultSharedLimit = 48 * kKiB;  // without the opt-in

struct Limits {
  int capability;
  int threads_per_sm;
  int blocks_per_sm;
  int shared_kib_per_sm;
  int sm_count;
  int l2_mib;
  const char* part;
};

// Threads, blocks and shared memory are from the CUDA C++ Programming Guide 13.0, "Technical
// Specifications per Compute Capability". CCCL's cuda/__device/arch_traits.h has the same, and
// cuda_occupancy.h the same blocks and shared memory. SM counts and L2 are from NVIDIA's white
// papers and data sheets for the GPU named. Exceptions: the L2 of 9.0 is what the driver reports.
// For 8.8 nothing is published; its values are those of 8.7, scaled to a smaller chip.
constexpr std::array<Limits, 13> kLimits = {{
    {70, 2048, 32, 96, 80, 6, "V100"},
    {75, 1024, 16, 64, 72, 6, "TITAN RTX"},
    {80, 2048, 32, 164, 108, 40, "A100"},
    {86, 1536, 16, 100, 84, 6, "RTX A6000"},
    {87, 1536, 16, 164, 16, 4, "Jetson AGX Orin"},
    {88, 1536, 16, 100, 12, 4, "Tegra"},
    {89, 1536, 24, 100, 142, 96, "L40S"},
    {90, 2048, 32, 228, 132, 60, "H200"},
    {100, 2048, 32, 228, 148, 126, "B200"},
    {103, 2048, 32, 228, 148, 126, "B300"},
    {110, 1536, 24, 228, 20, 32, "Jetson Thor"},
    {120, 1536, 24, 100, 188, 128, "RTX PRO 6000"},
    {121, 1536, 24, 100, 48, 24, "GB10"},
}};

std::string known_capabilities() {
  std::string text;
  for (const Limits& limits : kLimits)
    text += fmt::format("{}{}.{}", text.empty() ? "" : ", ", limits.capability / 10,
                        limits.capability % 10);
  return text;
}

cudaOccDeviceProp properties_of(const Device& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_capability / 10;
  properties.computeMinor = device.compute_capability % 10;
  properties.maxThreadsPerBlock = static_cast<int>(device.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(device.max_threads_per_sm);
  properties.regsPerBlock = static_cast<int>(device.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(device.registers_per_sm);
  properties.warpSize = static_cast<int>(device.warp_size);
  properties.sharedMemPerBlock =
      static_cast<std::size_t>(std::min(device.shared_bytes_per_block, kDefaultSharedLimit));
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_bytes_per_sm);
  properties.numSms = device.sm_count;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_bytes_per_block);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.reserved_shared_bytes);
  return properties;
}

// All shared memory counts as dynamic, because the limits are on the sum.
cudaOccFuncAttributes attributes_of(const Resources& resources) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = resources.registers;
  attributes.sharedSizeBytes = 0;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(resources.shared_bytes);
  attributes.numBlockBarriers = 1;
  return attributes;
}

}  // namespace

Device planned_device(int compute_capability) {
  const auto* const found = std::find_if(kLimits.begin(), kLimits.end(), [&](const Limits& limits) {
    return limits.capability == compute_capability;
  });
  if (found == kLimits.end())
    throw bad_input("the limits of compute capability {}.{} are not known; known are {}",
                    compute_capability / 10, compute_capability % 10, known_capabilities());
  Device device;
  device.kind = DeviceKind::cuda;
  device.name = fmt::format("sm_{} ({})", found->capability, found->part);
  device.compute_capability = found->capability;
  device.sm_count = found->sm_count;
  device.l2_bytes = found->l2_mib * kMiB;
  device.shared_bytes_per_sm = found->shared_kib_per_sm * kKiB;
  device.reserved_shared_bytes = found->capability >= 80 ? kKiB : 0;
  device.shared_bytes_per_block = device.shared_bytes_per_sm - device.reserved_shared_bytes;
  device.registers_per_block = 65536;
  device.registers_per_sm = 65536;
  device.max_threads_per_sm = found->threads_per_sm;
  device.max_blocks_per_sm = found->blocks_per_sm;
  return device;
}

void add_occupancy(Resources& resources, const Device& device) {
  const cudaOccDeviceProp properties = properties_of(device);
  const cudaOccFuncAttributes attributes = attributes_of(resources);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, resources.threads,
      static_cast<std::size_t>(resources.shared_bytes));
  if (error != CUDA_OCC_SUCCESS) return;
  resources.blocks_per_sm = result.activeBlocksPerMultiprocessor;
  const std::int64_t warps =
      (resources.threads + device.warp_size - 1) / device.warp_size * resources.blocks_per_sm;
  resources.occupancy = static_cast<double>(warps * device.warp_size) /
                        static_cast<double>(device.max_threads_per_sm);
}

int parse_architecture(const std::string& text, const std::vector<int>& known) {
  int capability = 0;
  const char* const end = text.data() + text.size();
  const bool has_prefix = text.rfind("sm_", 0) == 0;
  const auto [rest, error] = std::from_chars(text.data() + (has_prefix ? 3 : 0), end, capability);
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  // Hopper introduced the suffix 'a', Blackwell 'f'.
  const bool suffix_fits =
      suffix.empty() || (suffix == "a" && capability >= 90) || (suffix == "f" && capability >= 100);
  const bool is_known = std::ranges::find(known, capability) != known.end();
  const bool is_plain = text == fmt::format("sm_{}{}", capability, suffix);  // no leading zeros
  if (is_plain && error == std::errc{} && suffix_fits && is_known) return capability;
  throw bad_input(
      "unknown architecture \"{}\"; NVRTC knows sm_{}; an 'a' suffix is accepted from "
      "sm_90 on, 'f' from sm_100 on",
      text, fmt::join(known, ", sm_"));
}

}  // namespace tilewright::cuda
