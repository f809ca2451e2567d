#include "tuner/cuda/session/service_kernels.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/statistics.hpp"
#include "tuner/cuda/session/session.hpp"

namespace tilewright::cuda {
namespace {

constexpr const char* kClockProbe = "tilewright_clock_probe";
constexpr const char* kDelay = "tilewright_delay";
constexpr const char* kChecksum = "tilewright_checksum";

constexpr long long kDelayCycles = 40'000;

// Of the checksum kernel: enough threads for the full memory bandwidth.
constexpr std::int64_t kBlocksPerSm = 8;
constexpr std::int64_t kChecksumThreads = 256;

// What one block of the clock probe writes: the SM it ran on, that SM's cycle counter, nanoseconds.
struct Reading {
  unsigned long long sm, cycles, nanoseconds;
};

cudaKernel_t find(const CodeLibrary& library, const char* name) {
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library.get(), name), "find a service kernel");
  return kernel;
}

}  // namespace

std::string probe_source() {
  return std::string(kClockKernels) + std::string(kChecksumKernel);
}

std::vector<std::string> probe_entries() {
  return {kClockProbe, kDelay, kChecksum};
}

ServiceKernels::ServiceKernels(std::span<const std::uint8_t> code, int device, cudaStream_t stream)
    : stream_(stream) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "load the service kernels");
  library_ = CodeLibrary(library);
  read_ = find(library_, kClockProbe);
  delay_ = find(library_, kDelay);
  checksum_ = find(library_, kChecksum);
  sm_count_ = device_attribute(cudaDevAttrMultiProcessorCount, device, "count the device's SMs");
  readings_ = allocate(2 * sm_count_ * static_cast<std::int64_t>(sizeof(Reading)));
}

void ServiceKernels::launch(cudaKernel_t kernel, std::int64_t blocks, std::int64_t threads,
                            std::span<void*> arguments, const char* what) const {
  check_trial(
      cudaLaunchKernel(static_cast<const void*>(kernel), dim3(static_cast<unsigned int>(blocks)),
                       dim3(static_cast<unsigned int>(threads)), arguments.data(), 0, stream_),
      what);
}

void ServiceKernels::hold() const {
  long long cycles = kDelayCycles;
  std::array<void*, 1> arguments = {&cycles};
  launch(delay_, 1, 1, arguments, "launch of the delay kernel");
}

// One block for each SM. The scheduler spreads the blocks, and megahertz() uses the SMs that ran a
// block of both marks.
void ServiceKernels::mark(std::int64_t slot) const {
  void* rows = static_cast<Reading*>(readings_.get()) + slot * sm_count_;
  std::array<void*, 1> arguments = {&rows};
  launch(read_, sm_count_, 1, arguments, "launch of the clock probe");
}

void ServiceKernels::add_checksum(const std::uint8_t* data, std::int64_t bytes,
                                  std::uint64_t* sum) const {
  std::array<void*, 3> arguments = {&data, &bytes, &sum};
  launch(checksum_, kBlocksPerSm * sm_count_, kChecksumThreads, arguments,
         "launch of the checksum kernel");
}

double ServiceKernels::megahertz() const {
  const auto count = static_cast<std::size_t>(sm_count_);
  std::vector<Reading> readings(2 * count);
  check_trial(cudaMemcpyAsync(readings.data(), readings_.get(), readings.size() * sizeof(Reading),
                              cudaMemcpyDeviceToHost, stream_),
              "reading the clocks");
  check_trial(cudaStreamSynchronize(stream_), "reading the clocks");
  std::map<unsigned long long, Reading> starts;
  for (std::size_t i = 0; i < count; ++i) starts[readings[i].sm] = readings[i];
  std::vector<double> rates;
  for (std::size_t i = count; i < readings.size(); ++i) {
    const Reading& end = readings[i];
    const auto start = starts.find(end.sm);
    if (start == starts.end() || end.nanoseconds <= start->second.nanoseconds) continue;
    const auto cycles = static_cast<double>(end.cycles - start->second.cycles);
    rates.push_back(1e3 * cycles /
                    static_cast<double>(end.nanoseconds - start->second.nanoseconds));
  }
  return rates.empty() ? 0 : median(std::move(rates));
}

}  // namespace tilewright::cuda
