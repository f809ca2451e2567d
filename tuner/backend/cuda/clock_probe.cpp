// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/backend/cuda/clock_probe.hpp"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tuner/backend/cuda/session.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::cuda {
namespace {

constexpr long long kDelayCycles = 40'000;

// What one block writes: the SM it ran on, that SM's cycle counter, nanoseconds.
struct Reading {
  unsigned long long sm, cycles, nanoseconds;
};

// clock64 is asm volatile, so the delay's loop stays.
constexpr const char* kSource = R"(
extern "C" __global__ void tilewright_clock_probe(unsigned long long* out) {
  unsigned int sm;
  unsigned long long nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  unsigned long long* row = out + 3ull * blockIdx.x;
  row[1] = static_cast<unsigned long long>(clock64());
  row[0] = sm;
  row[2] = nanoseconds;
}

extern "C" __global__ void tilewright_delay(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
)";

cudaKernel_t find(const CodeLibrary& library, const char* name) {
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library.get(), name), "find a kernel of the clock probe");
  return kernel;
}

}  // namespace

const char* probe_source() {
  return kSource;
}

ClockProbe::ClockProbe(std::span<const std::uint8_t> code, int device, cudaStream_t stream)
    : stream_(stream) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "load the clock probe");
  library_ = CodeLibrary(library);
  read_ = find(library_, "tilewright_clock_probe");
  delay_ = find(library_, "tilewright_delay");
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "count the device's SMs");
  sm_count_ = count;
  readings_ = allocate(2 * sm_count_ * static_cast<std::int64_t>(sizeof(Reading)));
}

void ClockProbe::hold() const {
  long long cycles = kDelayCycles;
  std::array<void*, 1> arguments = {&cycles};
  check_trial(cudaLaunchKernel(static_cast<const void*>(delay_), dim3(1), dim3(1), arguments.data(),
                               0, stream_),
              "launch of the delay kernel");
}

// One block for each SM: the scheduler spreads them, and megahertz() uses the SMs that both
// marks have hit.
void ClockProbe::mark(std::int64_t slot) const {
  void* rows = static_cast<Reading*>(readings_.get()) + slot * sm_count_;
  std::array<void*, 1> arguments = {&rows};
  check_trial(
      cudaLaunchKernel(static_cast<const void*>(read_), dim3(static_cast<unsigned int>(sm_count_)),
                       dim3(1), arguments.data(), 0, stream_),
      "launch of the clock probe");
}

double ClockProbe::megahertz() const {
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
