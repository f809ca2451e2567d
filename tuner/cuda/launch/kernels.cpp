#include "tuner/cuda/launch/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "tuner/backend/notes.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/cuda/launch/parameters.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/ready_plan.hpp"

namespace tilewright::cuda {
namespace {

// Without opting in, a block gets at most this much shared memory.
constexpr std::int64_t kOrdinarySharedBytes = std::int64_t{48} * 1024;
// Clusters of more blocks are "non-portable" and need an opt-in as well.
constexpr std::int64_t kOrdinaryClusterBlocks = 8;

const void* as_function(cudaKernel_t kernel) {
  return static_cast<const void*>(kernel);
}

CodeLibrary load_library(std::span<const std::uint8_t> code) {
  if (code.empty()) refuse_launch("there is no code to load");
  cudaLibrary_t library = nullptr;
  const cudaError_t error =
      cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  int driver = 0;
  if (error != cudaSuccess) swallow(cudaDriverGetVersion(&driver));
  check_trial(error, "loading the code with a driver of CUDA " + cuda_version_text(driver));
  return CodeLibrary(library);
}

dim3 to_dim3(const std::array<std::int64_t, 3>& extent, const std::string& entry,
             const char* what) {
  for (const std::int64_t size : extent)
    if (size < 1 || size > std::numeric_limits<std::int32_t>::max())
      refuse_launch(fmt::format("launch of {}: a {} of {} × {} × {} cannot be launched", entry,
                                what, extent[0], extent[1], extent[2]));
  return {static_cast<unsigned int>(extent[0]), static_cast<unsigned int>(extent[1]),
          static_cast<unsigned int>(extent[2])};
}

cudaFuncAttributes attributes_of(cudaKernel_t kernel, const std::string& entry) {
  cudaFuncAttributes attributes = {};
  check_trial(cudaFuncGetAttributes(&attributes, as_function(kernel)), "loading " + entry);
  return attributes;
}

// Opts in to the most that any launch of the kernel needs.
void opt_in(cudaKernel_t kernel, const std::string& entry, std::span<const LaunchPlan> plans,
            int device) {
  std::int64_t shared_bytes = 0, cluster_blocks = 1;
  for (const LaunchPlan& plan : plans)
    for (const PlannedLaunch& launch : plan.launches)
      if (launch.entry == entry) {
        shared_bytes = std::max(shared_bytes, launch.shared_bytes);
        cluster_blocks = std::max(cluster_blocks, volume(launch.cluster));
      }
  const cudaFuncAttributes attributes = attributes_of(kernel, entry);
  const auto static_bytes = static_cast<std::int64_t>(attributes.sharedSizeBytes);
  const std::string what =
      fmt::format("{}: {} bytes of dynamic shared memory", entry, shared_bytes);
  if (shared_bytes > std::numeric_limits<int>::max()) refuse_launch(what);
  if (static_bytes + shared_bytes > kOrdinarySharedBytes)
    check_trial(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(shared_bytes), device),
                what);
  if (cluster_blocks > kOrdinaryClusterBlocks)
    check_trial(cudaKernelSetAttributeForDevice(
                    kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1, device),
                fmt::format("{}: clusters of {} blocks", entry, cluster_blocks));
}

int compute_capability_of(int device) {
  constexpr const char* kWhat = "ask for the compute capability";
  return 10 * device_attribute(cudaDevAttrComputeCapabilityMajor, device, kWhat) +
         device_attribute(cudaDevAttrComputeCapabilityMinor, device, kWhat);
}

double occupancy_of(const Resources& resources, int device) {
  const int threads_per_sm = device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device,
                                              "ask for the threads of an SM");
  const int warp = device_attribute(cudaDevAttrWarpSize, device, "ask for the warp size");
  const int warps = (resources.threads + warp - 1) / warp;
  return static_cast<double>(resources.blocks_per_sm) * warps * warp / threads_per_sm;
}

Resources resources_of(cudaKernel_t kernel, const PlannedLaunch& launch, int device) {
  const cudaFuncAttributes attributes = attributes_of(kernel, launch.entry);
  Resources resources;
  resources.registers = attributes.numRegs;
  resources.shared_bytes =
      static_cast<std::int64_t>(attributes.sharedSizeBytes) + launch.shared_bytes;
  resources.stack_bytes = static_cast<std::int64_t>(attributes.localSizeBytes);
  resources.threads = static_cast<int>(volume(launch.block));
  resources.blocks_per_sm = 0;
  check_trial(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &resources.blocks_per_sm, as_function(kernel), resources.threads,
                  static_cast<std::size_t>(launch.shared_bytes)),
              "occupancy of " + launch.entry);
  resources.occupancy = occupancy_of(resources, device);
  return resources;
}

}  // namespace

cudaLaunchConfig_t launch_config(const PlannedLaunch& launch) {
  cudaLaunchConfig_t config = {};
  config.gridDim = to_dim3(launch.grid, launch.entry, "grid");
  config.blockDim = to_dim3(launch.block, launch.entry, "block");
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.shared_bytes);
  return config;
}

LaunchAttributes launch_attributes(const PlannedLaunch& launch, int compute_capability) {
  LaunchAttributes attributes;
  const auto add = [&](cudaLaunchAttributeID id) -> cudaLaunchAttributeValue& {
    cudaLaunchAttribute& attribute = attributes.list.at(attributes.count++);
    attribute.id = id;
    return attribute.val;
  };
  const dim3 blocks = to_dim3(launch.cluster, launch.entry, "cluster");
  if (volume(launch.cluster) > 1) {
    auto& cluster = add(cudaLaunchAttributeClusterDimension).clusterDim;
    cluster.x = blocks.x;
    cluster.y = blocks.y;
    cluster.z = blocks.z;
  }
  if (launch.dependent_launch && compute_capability >= kFirstCapabilityWithDependentLaunch)
    add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed =
        1;
  if (launch.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
  return attributes;
}

Kernels::Kernels(std::span<const std::uint8_t> code,
                 const std::map<std::string, std::string>& symbols,
                 std::span<const LaunchPlan> plans, int device,
                 const std::vector<std::filesystem::path>& folders)
    : device_(device), compute_capability_(compute_capability_of(device)) {
  for (const LaunchPlan& plan : plans)
    if (plan.routine.is_given()) routine_ = make_routine(plan, folders);
  if (routine_) return;
  for (const CodeBytes unit : units_of(code)) libraries_.push_back(load_library(unit));
  for (const auto& [entry, symbol] : symbols) {
    const UnitSymbol found = find_unit(symbol, libraries_.size());
    if (is_constant_key(entry)) {
      Variable& variable = variables_[entry];
      check_trial(
          cudaLibraryGetGlobal(&variable.address, &variable.bytes, libraries_[found.unit].get(),
                               found.name.c_str()),
          fmt::format("looking for the constant {} ({})", constant_name(entry), found.name));
      continue;
    }
    cudaKernel_t kernel = nullptr;
    check_trial(cudaLibraryGetKernel(&kernel, libraries_[found.unit].get(), found.name.c_str()),
                fmt::format("looking for {} ({})", entry, symbol));
    kernels_[entry] = kernel;
    opt_in(kernel, entry, plans, device);
  }
}

Kernels::Kernels(std::unique_ptr<const Routine> routine, int device)
    : routine_(std::move(routine)),
      device_(device),
      compute_capability_(compute_capability_of(device)) {}

std::int64_t Kernels::resident_blocks(const PlannedLaunch& launch) const {
  const void* const function = as_function(kernel(launch.entry));
  const auto shared = static_cast<std::size_t>(launch.shared_bytes);
  const std::string what = "resident blocks of " + launch.entry;
  int count = 0;
  if (volume(launch.cluster) > 1) {
    cudaLaunchConfig_t config = {};
    config.gridDim = to_dim3(launch.cluster, launch.entry, "cluster");
    config.blockDim = to_dim3(launch.block, launch.entry, "block");
    config.dynamicSmemBytes = shared;
    PlannedLaunch plain;
    plain.cluster = launch.cluster;
    LaunchAttributes clusters = attributes(plain);
    clusters.add_to(config);
    check_trial(cudaOccupancyMaxActiveClusters(&count, function, &config), what);
    return count * volume(launch.cluster);
  }
  check_trial(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &count, function, static_cast<int>(volume(launch.block)), shared),
              what);
  return std::int64_t{count} *
         device_attribute(cudaDevAttrMultiProcessorCount, device_, "ask for the multiprocessors");
}

void Kernels::check_resident(const PlannedLaunch& launch) const {
  const bool is_large_cluster = volume(launch.cluster) > kOrdinaryClusterBlocks;
  if (!launch.cooperative && !is_large_cluster) return;
  const std::int64_t resident = resident_blocks(launch);
  if (is_large_cluster && resident == 0)
    refuse_launch(fmt::format("{}: the device cannot hold a cluster of {} blocks", launch.entry,
                              volume(launch.cluster)));
  if (launch.cooperative && volume(launch.grid) > resident)
    refuse_launch(fmt::format("{}: a cooperative launch of {} blocks; the device holds {} at once",
                              launch.entry, volume(launch.grid), resident));
}

LaunchPlan Kernels::ready(LaunchPlan plan) const {
  LaunchPlan open = with_grids(
      std::move(plan), [this](const PlannedLaunch& launch) { return resident_blocks(launch); });
  for (const PlannedLaunch& launch : open.launches) check_resident(launch);
  return with_trips(std::move(open));
}

void Kernels::check_constants(const LaunchPlan& plan) const {
  for (const PlannedConstant& constant : plan.constants) {
    const auto found = variables_.find(constant.key);
    std::optional<std::int64_t> bytes;
    if (found != variables_.end()) bytes = static_cast<std::int64_t>(found->second.bytes);
    if (const auto error = constant_error(constant, bytes)) refuse_launch(*error);
  }
}

void Kernels::fill_constants(const LaunchPlan& plan, std::span<const CallArgument> arguments,
                             cudaStream_t stream) const {
  for (const PlannedConstant& constant : plan.constants)
    if (constant.bytes > 0)
      check_trial(cudaMemcpyAsync(variables_.at(constant.key).address,
                                  arguments[static_cast<std::size_t>(constant.index)].memory,
                                  static_cast<std::size_t>(constant.bytes),
                                  cudaMemcpyDeviceToDevice, stream),
                  "filling the constant " + constant_name(constant.key));
}

cudaKernel_t Kernels::kernel(const std::string& entry) const {
  const auto found = kernels_.find(entry);
  if (found == kernels_.end()) refuse_launch(fmt::format("the code has no entry {}", entry));
  return found->second;
}

// The driver reads as many bytes as the kernel declares, so it would read past shorter parameters.
// Asks only about parameters that are passed. To ask for one that the kernel does not have is an
// error, which tools that watch the API would report. Sweeps have asked the code itself before.
void Kernels::check_parameters(const PlannedLaunch& launch,
                               std::span<const std::int64_t> sizes) const {
  if (launch.arguments.size() > kMostLaunchParameters)
    refuse_launch(fmt::format("{} takes {} parameters; at most {} can be passed", launch.entry,
                              launch.arguments.size(), kMostLaunchParameters));
  std::vector<std::int64_t> declared;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
#if CUDART_VERSION >= 13000
    std::size_t offset = 0;
    std::size_t size = 0;
    check_trial(cudaFuncGetParamInfo(as_function(kernel(launch.entry)), i, &offset, &size),
                fmt::format("{} has no argument {}", launch.entry, i + 1));
    declared.push_back(static_cast<std::int64_t>(size));
#else
    declared.push_back(parameter_bytes(launch.arguments[i], sizes));
#endif
  }
  if (const auto error = parameters_error(launch, declared, sizes)) refuse_launch(*error);
}

void Kernels::check_launches(const LaunchPlan& plan, const CallOperands& operands) const {
  check_constants(plan);
  const std::vector<std::int64_t> sizes = argument_bytes(operands);
  for (const PlannedLaunch& launch : plan.launches) {
    launch_config(launch);
    attributes(launch);
    check_parameters(launch, sizes);
    const ParameterAddresses can_be_made(launch, operands);
  }
}

void Kernels::call(const LaunchPlan& plan, const CallOperands& operands, cudaStream_t stream,
                   CallPart part) const {
  const bool is_cleared = plan.workspace_zero == Workspace::Fill::each && part == CallPart::call;
  if (is_cleared && plan.workspace_bytes > 0)
    check_trial(cudaMemsetAsync(operands.memory.workspace, 0,
                                static_cast<std::size_t>(plan.workspace_bytes), stream),
                "clearing the workspace");
  if (plan.routine.is_given() && part == CallPart::call) routine_->call(plan, operands, stream);
  for (const PlannedLaunch& launch : plan.launches) {
    if (!is_in(part, launch)) continue;
    ParameterAddresses parameters(launch, operands);
    cudaLaunchConfig_t config = launch_config(launch);
    config.stream = stream;
    LaunchAttributes all = attributes(launch);
    all.add_to(config);
    check_trial(cudaLaunchKernelExC(&config, as_function(kernel(launch.entry)), parameters.get()),
                "launch of " + launch.entry);
  }
}

Resources Kernels::resources(const LaunchPlan& plan, int device) const {
  if (plan.routine.is_given()) return {};
  if (plan.launches.empty()) refuse_launch("the configuration launches nothing");
  std::vector<Resources> all;
  for (const PlannedLaunch& launch : plan.launches)
    all.push_back(resources_of(kernel(launch.entry), launch, device));
  return costliest(all);
}

}  // namespace tilewright::cuda
