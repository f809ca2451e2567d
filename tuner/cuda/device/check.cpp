#include "tuner/cuda/device/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "definition/text/errors.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::array kBrokenHardware = {cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable,
                                        cudaErrorExternalDevice, cudaErrorDevicesUnavailable,
                                        cudaErrorSystemNotReady};

// An error that stays after it was cleared has destroyed the context. While a stream of this thread
// is capturing, this cannot be asked; then the next launch reports a lost device.
bool is_device_lost() {
  swallow(cudaGetLastError());
  const cudaError_t error = cudaDeviceSynchronize();
  swallow(cudaGetLastError());
  return error != cudaSuccess && error != cudaErrorStreamCaptureUnsupported;
}

}  // namespace

std::string error_text(cudaError_t error) {
  return fmt::format("{}: {}", cudaGetErrorName(error), cudaGetErrorString(error));
}

void check(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return;
  swallow(cudaGetLastError());
  throw broken_machine("cannot {}: {}", what, error_text(error));
}

int device_attribute(cudaDeviceAttr attribute, int device, std::string_view what) {
  int number = 0;
  check(cudaDeviceGetAttribute(&number, attribute, device), what);
  return number;
}

void swallow(cudaError_t error) noexcept {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
}

Failure failure_of(cudaError_t error, std::string_view what) {
  if (std::ranges::find(kBrokenHardware, error) != kBrokenHardware.end()) check(error, what);
  const Outcome outcome = is_device_lost()                     ? Outcome::faulted
                          : error == cudaErrorMemoryAllocation ? Outcome::machine_failed
                                                               : Outcome::launch_failed;
  return {outcome, fmt::format("{}: {}", what, error_text(error))};
}

void check_trial(cudaError_t error, std::string_view what) {
  if (error != cudaSuccess) throw TrialError(failure_of(error, what));
}

void* find_driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned int kFirstVersion = 12000;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, kFirstVersion, cudaEnableDefault, &status);
  swallow(error);
  const bool is_found = error == cudaSuccess && status == cudaDriverEntryPointSuccess;
  return is_found ? function : nullptr;
}

}  // namespace tilewright::cuda
