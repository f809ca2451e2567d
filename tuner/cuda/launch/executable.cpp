#include "tuner/cuda/launch/kernels.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/cuda/device/check.hpp"
#include "tuner/cuda/device/devices.hpp"
#include "tuner/cuda/launch/parameters.hpp"
#include "tuner/cuda/launch/textures.hpp"

namespace tilewright::cuda {
namespace {

// Throws LaunchError. Does not ask the device anything, because a stream may be capturing.
void check_launch(cudaError_t error, const char* what, const std::string& entry) {
  if (error == cudaSuccess) return;
  swallow(cudaGetLastError());
  throw LaunchError(fmt::format("{} {}: {}", what, entry, error_text(error)));
}

// A launch with everything that is the same in every call.
struct ReadyLaunch {
  PlannedLaunch plan;
  const void* function = nullptr;
  cudaLaunchConfig_t config = {};
  LaunchAttributes attributes = {};

  void enqueue(const CallOperands& operands, cudaStream_t stream) const {
    ParameterAddresses parameters(plan, operands);
    cudaLaunchConfig_t now = config;
    now.stream = stream;
    LaunchAttributes own = attributes;
    own.add_to(now);
    check_launch(cudaLaunchKernelExC(&now, function, parameters.get()), "launch of", plan.entry);
  }
};

ReadyLaunch make_ready(const Kernels& kernels, PlannedLaunch plan,
                       const std::vector<std::int64_t>& sizes) {
  for (PlannedArgument& argument : plan.arguments)
    if (argument.kind == PlannedArgument::Kind::argument)
      argument.size = sizes.at(static_cast<std::size_t>(argument.index));
  kernels.check_parameters(plan, sizes);
  ReadyLaunch ready;
  ready.function = static_cast<const void*>(kernels.kernel(plan.entry));
  ready.config = launch_config(plan);
  ready.attributes = kernels.attributes(plan);
  ready.plan = std::move(plan);
  return ready;
}

// Keeps the calls of code with constants or arrays of textures one after another in all streams:
// the next call fills them only when the kernels of the last one have ended.
class Turns {
 public:
  Turns() {
    cudaEvent_t event = nullptr;
    check_trial(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    last_ = Event(event);
  }

  // `enqueue` may throw; what it has enqueued counts.
  void take(cudaStream_t stream, const auto& enqueue) {
    const std::lock_guard lock(mutex_);
    check_trial(cudaStreamWaitEvent(stream, last_.get(), 0), "waiting for the last call");
    try {
      enqueue();
    } catch (...) {
      swallow(cudaEventRecord(last_.get(), stream));
      throw;
    }
    check_trial(cudaEventRecord(last_.get(), stream), "marking the end of a call");
  }

 private:
  std::mutex mutex_;
  Event last_;
};

// Lets this thread load code and make textures while some stream is being captured.
class RelaxedCapture {
 public:
  RelaxedCapture() { swallow(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { swallow(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then the thread's own
};

class CudaExecutable final : public Executable {
 public:
  explicit CudaExecutable(const ExecutablePlan& plan)
      : device_(plan.device_index),
        kernels_(plan.code, plan.symbols, {&plan.launches, 1}, plan.device_index),
        plan_(kernels_.ready(plan.launches)),
        textures_(plan_.textures) {
    if (!plan_.constants.empty() || textures_.has_arrays()) turns_.emplace();
    kernels_.check_constants(plan_);
    for (const PlannedLaunch& launch : plan_.launches)
      launches_.push_back(make_ready(kernels_, launch, plan.sizes));
  }

  void launch(std::span<const CallArgument> arguments, CallMemory memory, ClearWorkspace clear,
              void* stream, CallPart part) const override try {
    require_current_device(device_);
    auto* const queue = static_cast<cudaStream_t>(stream);
    if (!turns_ || part == CallPart::preparation)
      return enqueue(arguments, memory, clear, queue, part);
    if (is_capturing(stream))
      throw LaunchError(
          "this kernel fills constants or arrays of textures at each launch, so a graph cannot "
          "capture it: replays would not wait for other launches");
    turns_->take(queue, [&] {
      kernels_.fill_constants(plan_, arguments, queue);
      textures_.fill(arguments, queue);
      enqueue(arguments, memory, clear, queue, part);
    });
  } catch (const TrialError& error) {
    throw LaunchError(error.what());
  }

  std::shared_ptr<std::uint8_t> make_memory(std::int64_t bytes) const override {
    require_current_device(device_);
    const RelaxedCapture relaxed;
    const auto release = [](std::uint8_t* memory) {
      const RelaxedCapture while_captured;
      swallow(cudaFree(memory));
    };
    DeviceMemory memory = allocate(bytes);
    return {static_cast<std::uint8_t*>(memory.release()), release};
  }

  bool is_capturing(void* stream) const override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
    if (error != cudaSuccess) swallow(cudaGetLastError());
    return error != cudaSuccess || status != cudaStreamCaptureStatusNone;
  }

 private:
  void enqueue(std::span<const CallArgument> arguments, const CallMemory& memory,
               ClearWorkspace clear, cudaStream_t queue, CallPart part) const {
    if (clear == ClearWorkspace::yes)
      check_launch(cudaMemsetAsync(memory.workspace, 0,
                                   static_cast<std::size_t>(plan_.workspace_bytes), queue),
                   "clearing", "workspace");
    std::vector<TextureHandle> textures;
    if (part == CallPart::call) textures = textures_of(arguments);
    if (plan_.routine.is_given()) kernels_.call(plan_, {arguments, memory}, queue, part);
    for (const ReadyLaunch& ready : launches_)
      if (is_in(part, ready.plan)) ready.enqueue({arguments, memory, textures}, queue);
  }

  // New ones can be made while a stream is captured.
  std::vector<TextureHandle> textures_of(std::span<const CallArgument> arguments) const {
    if (plan_.textures.empty()) return {};
    const RelaxedCapture relaxed;
    return textures_.find(arguments);
  }

  int device_;
  Kernels kernels_;
  LaunchPlan plan_;
  mutable Textures textures_;
  mutable std::optional<Turns> turns_;  // if there are constants or arrays of textures
  std::vector<ReadyLaunch> launches_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) try {
  const DeviceScope scope(plan.device_index);
  const RelaxedCapture relaxed;
  return std::make_unique<CudaExecutable>(plan);
} catch (const TrialError& error) {
  if (error.failure().outcome == Outcome::faulted) throw LaunchError(error.what());
  throw MachineError(error.what());
}

}  // namespace tilewright::cuda
