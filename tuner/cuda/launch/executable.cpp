#include "tuner/cuda/launch/executable.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/cuda/device/check.hpp"
#include "tuner/cuda/device/current_device.hpp"
#include "tuner/cuda/launch/kernels.hpp"
#include "tuner/cuda/launch/tensor_map.hpp"

namespace tilewright::cuda {
namespace {

using Kind = PlannedArgument::Kind;

// Throws LaunchError. Does not ask the device anything, because a stream may be capturing.
void check_launch(cudaError_t error, const char* what, const std::string& entry) {
  if (error == cudaSuccess) return;
  swallow(cudaGetLastError());
  throw LaunchError(fmt::format("{} {}: {}", what, entry, error_text(error)));
}

// The parameters of one launch: addresses of their bytes, which the driver copies. They have a
// fixed size on the stack. Only tensor maps and values that must be padded need the heap.
class ParameterAddresses {
 public:
  ParameterAddresses(const PlannedLaunch& launch, std::span<const CallArgument> arguments,
                     std::uint8_t* workspace) {
    for (const PlannedArgument& planned : launch.arguments)
      add(planned, arguments[static_cast<std::size_t>(planned.index)], workspace);
    addresses_.at(count_) = nullptr;
  }
  ParameterAddresses(const ParameterAddresses&) = delete;
  ParameterAddresses& operator=(const ParameterAddresses&) = delete;

  void** get() { return addresses_.data(); }

 private:
  void add(const PlannedArgument& planned, const CallArgument& argument, std::uint8_t* workspace) {
    switch (planned.kind) {
      case Kind::bytes:
        return add_address(planned.bytes.data());
      case Kind::workspace:
        return add_pointer(workspace == nullptr ? nullptr : workspace + planned.offset);
      case Kind::by_value:
        return add_values(argument.values, static_cast<std::size_t>(planned.size));
      case Kind::tensor_map:
        return add_map(encode_tensor_map(planned.map, argument.memory));
      case Kind::argument:
        if (argument.memory != nullptr) return add_pointer(argument.memory);
        return add_values(argument.values, static_cast<std::size_t>(planned.size));
    }
  }

  void add_address(const void* address) { addresses_.at(count_++) = const_cast<void*>(address); }

  void add_pointer(void* pointer) {
    pointers_.at(count_) = pointer;
    add_address(&pointers_.at(count_));
  }

  // The driver reads the whole parameter. `values` may be only its first part.
  void add_values(std::span<const std::byte> values, std::size_t size) {
    if (values.size() >= size) return add_address(values.data());
    auto& padded = padded_.emplace_back(std::make_unique<std::byte[]>(size));
    std::memcpy(padded.get(), values.data(), values.size());
    add_address(padded.get());
  }

  void add_map(const CUtensorMap& map) {
    add_address(maps_.emplace_back(std::make_unique<CUtensorMap>(map)).get());
  }

  std::size_t count_ = 0;
  std::array<void*, kMostLaunchParameters + 1> addresses_;
  std::array<void*, kMostLaunchParameters> pointers_;
  std::vector<std::unique_ptr<std::byte[]>> padded_;
  std::vector<std::unique_ptr<CUtensorMap>> maps_;
};

// A launch with everything that is the same in every call.
struct ReadyLaunch {
  PlannedLaunch plan;
  const void* function = nullptr;
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute cluster = {};

  void enqueue(std::span<const CallArgument> arguments, std::uint8_t* workspace,
               cudaStream_t stream) const {
    ParameterAddresses parameters(plan, arguments, workspace);
    cudaLaunchConfig_t now = config;
    now.stream = stream;
    cudaLaunchAttribute attribute = cluster;
    now.attrs = &attribute;
    check_launch(cudaLaunchKernelExC(&now, function, parameters.get()), "launch of", plan.entry);
  }
};

// The size that a kernel must declare for an argument. `sizes` are those of the operation's
// arguments.
std::size_t size_of(const PlannedArgument& planned, const std::vector<std::int64_t>& sizes) {
  switch (planned.kind) {
    case Kind::bytes:
      return planned.bytes.size();
    case Kind::workspace:
      return sizeof(void*);
    case Kind::by_value:
      return static_cast<std::size_t>(planned.size);
    case Kind::tensor_map:
      return sizeof(CUtensorMap);
    case Kind::argument:
      break;
  }
  return static_cast<std::size_t>(sizes.at(static_cast<std::size_t>(planned.index)));
}

ReadyLaunch make_ready(const Kernels& kernels, PlannedLaunch plan,
                       const std::vector<std::int64_t>& sizes) {
  if (plan.arguments.size() > kMostLaunchParameters)
    throw MachineError(fmt::format("{} takes {} parameters; at most {} can be passed", plan.entry,
                                   plan.arguments.size(), kMostLaunchParameters));
  std::vector<std::size_t> parameters;
  for (PlannedArgument& argument : plan.arguments) {
    parameters.push_back(size_of(argument, sizes));
    if (argument.kind == Kind::argument)
      argument.size = sizes.at(static_cast<std::size_t>(argument.index));
  }
  kernels.check_parameters(plan, parameters);
  ReadyLaunch ready;
  ready.function = static_cast<const void*>(kernels.kernel(plan.entry));
  ready.config = launch_config(plan);
  ready.cluster = cluster_of(plan);
  ready.plan = std::move(plan);
  return ready;
}

class CudaExecutable final : public Executable {
 public:
  explicit CudaExecutable(const ExecutablePlan& plan)
      : device_(plan.device_index),
        kernels_(plan.code, plan.symbols, {&plan.launches, 1}, plan.device_index),
        workspace_bytes_(static_cast<std::size_t>(plan.launches.workspace_bytes)) {
    for (const PlannedLaunch& launch : plan.launches.launches)
      launches_.push_back(make_ready(kernels_, launch, plan.sizes));
  }

  void launch(std::span<const CallArgument> arguments, std::uint8_t* workspace,
              ClearWorkspace clear, void* stream) const override try {
    require_current_device(device_);
    auto* const queue = static_cast<cudaStream_t>(stream);
    if (clear == ClearWorkspace::yes)
      check_launch(cudaMemsetAsync(workspace, 0, workspace_bytes_, queue), "clearing", "workspace");
    for (const ReadyLaunch& ready : launches_) ready.enqueue(arguments, workspace, queue);
  } catch (const TrialError& error) {
    throw LaunchError(error.what());
  }

 private:
  int device_;
  Kernels kernels_;
  std::size_t workspace_bytes_;
  std::vector<ReadyLaunch> launches_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) try {
  const DeviceScope scope(plan.device_index);
  return std::make_unique<CudaExecutable>(plan);
} catch (const TrialError& error) {
  if (error.failure().outcome == Outcome::faulted) throw LaunchError(error.what());
  throw MachineError(error.what());
}

}  // namespace tilewright::cuda
