#include "tuner/cuda/device/devices.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <utility>

#include "definition/text/errors.hpp"
#include "tilewright/version.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/cuda/device/check.hpp"
#include "tuner/cuda/device/monitor.hpp"

namespace tilewright::cuda {
namespace {

// A MIG instance has a name such as "NVIDIA H200 MIG 1g.18gb".
void split_partition(Device& device) {
  const std::string separator = " MIG ";
  const std::size_t place = device.name.find(separator);
  if (place == std::string::npos) return;
  device.partition = device.name.substr(place + separator.size());
  device.name.resize(place);
}

Device device_from(const cudaDeviceProp& properties) {
  Device device;
  device.kind = DeviceKind::cuda;
  device.name = single_spaced(properties.name);
  split_partition(device);
  device.compute_capability = 10 * properties.major + properties.minor;
  device.sm_count = properties.multiProcessorCount;
  device.l2_bytes = properties.l2CacheSize;
  device.shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  device.shared_bytes_per_sm = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  device.reserved_shared_bytes = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock);
  device.registers_per_block = properties.regsPerBlock;
  device.registers_per_sm = properties.regsPerMultiprocessor;
  device.max_threads_per_block = properties.maxThreadsPerBlock;
  device.max_threads_per_sm = properties.maxThreadsPerMultiProcessor;
  device.max_blocks_per_sm = properties.maxBlocksPerMultiProcessor;
  device.warp_size = properties.warpSize;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    device.max_block.at(axis) = properties.maxThreadsDim[axis];
    device.max_grid.at(axis) = properties.maxGridSize[axis];
  }
  return device;
}

std::string uuid_text(const cudaDeviceProp& properties, const Device& device) {
  std::string text = device.partition.empty() ? "GPU" : "MIG";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  return text;
}

void set_environments(std::vector<DeviceReport>& devices, int driver) {
  std::vector<std::string> uuids;
  for (const DeviceReport& report : devices) uuids.push_back(report.uuid);
  const NvmlFacts facts = nvml_facts(uuids);
  int runtime = 0;
  swallow(cudaRuntimeGetVersion(&runtime));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Environment& environment = devices[i].environment;
    environment.driver = facts.driver.empty() ? "CUDA " + cuda_version_text(driver) : facts.driver;
    environment.runtime = cuda_version_text(runtime);
    environment.tool = kVersion;
    environment.power_limit_w = facts.power_limits[i];
  }
}

std::string why_no_devices(cudaError_t error, int driver) {
  if (error == cudaErrorNoDevice || error == cudaSuccess) return "no CUDA device";
  if (error == cudaErrorInsufficientDriver)
    return fmt::format("the driver is too old for CUDA {} (it supports CUDA {}): {}",
                       cuda_version_text(CUDART_VERSION), cuda_version_text(driver),
                       driver_to_install(CUDART_VERSION));
  return "CUDA cannot start: " + error_text(error);
}

// The runtime has no functions for contexts that other libraries made.
struct ContextFunctions {
  decltype(&cuCtxGetCurrent) get_current =
      driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
  decltype(&cuCtxSetCurrent) set_current =
      driver_function<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent");

  static const ContextFunctions& get() {
    static const ContextFunctions functions;
    return functions;
  }
};

}  // namespace

DeviceList list_devices() {
  DeviceList list;
  int driver = 0;
  swallow(cudaDriverGetVersion(&driver));
  if (driver == 0) {
    list.why = "no NVIDIA driver";
    return list;
  }
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  swallow(error);
  if (error != cudaSuccess) count = 0;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties = {};
    const cudaError_t failed = cudaGetDeviceProperties(&properties, index);
    if (failed != cudaSuccess) {
      swallow(failed);
      error = failed;
      continue;
    }
    DeviceReport report;
    report.id = fmt::format("cuda:{}", index);
    report.index = index;
    report.device = device_from(properties);
    report.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    report.uuid = uuid_text(properties, report.device);
    report.cuda_version = driver;
    list.devices.push_back(std::move(report));
  }
  set_environments(list.devices, driver);
  if (list.devices.empty()) list.why = why_no_devices(error, driver);
  return list;
}

DeviceScope::DeviceScope(int device) {
  const ContextFunctions& functions = ContextFunctions::get();
  CUcontext context = nullptr;
  if (functions.get_current != nullptr) functions.get_current(&context);
  check(cudaGetDevice(&device_before_), "ask for the current device");
  if (context != nullptr && device_before_ == device) return;
  check(cudaSetDevice(device), fmt::format("use device cuda:{}", device));
  context_before_ = context;
  has_changed_ = true;
}

DeviceScope::~DeviceScope() {
  if (!has_changed_) return;
  if (context_before_ != nullptr)
    ContextFunctions::get().set_current(static_cast<CUcontext>(context_before_));
  else
    swallow(cudaSetDevice(device_before_));
}

KeepCurrentDevice::KeepCurrentDevice() {
  if (const cudaError_t error = cudaGetDevice(&device_); error != cudaSuccess) {
    swallow(error);
    device_ = -1;
  }
}

KeepCurrentDevice::~KeepCurrentDevice() {
  int now = -1;
  if (device_ < 0 || cudaGetDevice(&now) != cudaSuccess || now == device_) return;
  swallow(cudaSetDevice(device_));
}

void require_current_device(int device) {
  int current = -1;
  const cudaError_t error = cudaGetDevice(&current);
  if (error != cudaSuccess)
    throw LaunchError("asking for the current device: " + error_text(error));
  if (current != device)
    throw bad_input("the calling thread's current device is cuda:{}, the kernel's is cuda:{}",
                    current, device);
}

}  // namespace tilewright::cuda
