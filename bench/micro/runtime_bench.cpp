// What an application pays before a launch that it has prepared. launch_bench_cuda.cpp measures the
// launches themselves.
#include "tilewright/runtime.hpp"

#include <benchmark/benchmark.h>

#include "bench/micro/bench_data.hpp"

namespace tilewright::bench {
namespace {

const Runtime& runtime() {
  static const Runtime one = [] {
    RuntimeOptions options;
    options.catalog.kernels = {template_folder()};
    return Runtime(options);
  }();
  return one;
}

void find_by_size(benchmark::State& state) {
  static const KernelsBySize gemm =
      runtime().resolve({"gemm", {}, DeviceSelector::host()}, {"M", "N", "K"});
  std::int64_t n = 0;
  for (auto _ : state) {
    n = (n + 16) & 1023;  // 64 sizes in turn
    benchmark::DoNotOptimize(&gemm.at({n + 16, n + 16, n + 16}));
  }
}
BENCHMARK(find_by_size)->Name("runtime/by_size")->ThreadRange(1, 16)->UseRealTime();

void find_by_text(benchmark::State& state) {
  const KernelRequest request{"gemm", {{"M", 512}, {"N", 512}, {"K", 512}}, DeviceSelector::host()};
  for (auto _ : state) benchmark::DoNotOptimize(runtime().kernel(request));
}
BENCHMARK(find_by_text)->Name("runtime/by_text");

}  // namespace
}  // namespace tilewright::bench
