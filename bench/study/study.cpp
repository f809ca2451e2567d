//
// The experiment of teaching texts on tiled matrix multiplication: the sequential loop, the naive
// kernel, the textbook's tiled kernel and the tuned tiled kernel, on growing matrices.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "bench/study/study_device.hpp"
#include "bench/study/study_sequential.hpp"
#include "tilewright/error.hpp"
#include "tools/input/target.hpp"

namespace tilewright::bench {
namespace {

constexpr std::int64_t kWidest = 8192;

struct Study {
  std::vector<std::int64_t> widths;
  std::map<std::int64_t, Sequential> sequential;
  std::optional<DeviceStudy> device;
  std::string why_no_device;
};

std::vector<std::int64_t> read_widths(const std::string& list) {
  std::vector<std::int64_t> widths;
  for (std::size_t first = 0; first <= list.size();) {
    const std::size_t end = std::min(list.find(',', first), list.size());
    std::int64_t width = 0;
    const auto [last, error] = std::from_chars(list.data() + first, list.data() + end, width);
    if (error != std::errc{} || last != list.data() + end || width < 1 || width > kWidest)
      throw InputError(
          fmt::format("--widths '{}': give numbers from 1 to {}, with commas", list, kWidest));
    widths.push_back(width);
    first = end + 1;
  }
  return widths;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "not known";
}

void add_context(const Study& study, const std::string& command_line) {
  if (study.device) {
    const Environment& environment = study.device->environment();
    benchmark::AddCustomContext("gpu", study.device->device_name());
    benchmark::AddCustomContext("driver", environment.driver);
    benchmark::AddCustomContext("cuda_runtime", environment.runtime);
    benchmark::AddCustomContext("kernel_compiler", environment.compiler);
  } else {
    benchmark::AddCustomContext("gpu", "none (" + study.why_no_device + ")");
  }
  benchmark::AddCustomContext("cpu_model", cpu_model());
  benchmark::AddCustomContext("sequential_compiler", TILEWRIGHT_STUDY_COMPILER);
  benchmark::AddCustomContext("sequential_flags", sequential_flags());
  benchmark::AddCustomContext("command_line", command_line);
  benchmark::AddCustomContext(
      "times", "sequential: wall clock of a run; device: kernel only, samples of CUDA graphs");
  benchmark::AddCustomContext(
      "checks",
      "every element of each result is compared with float64 on the same data; worst_ratio is the "
      "largest difference over the operation's tolerance. worst_ratio of a device result plus that "
      "of the sequential one bounds their difference: vs_sequential_at_most, right if <= 1");
}

void add_timing(benchmark::State& state, const Timing& timing, std::int64_t width) {
  std::size_t next = 0;
  for (auto _ : state) state.SetIterationTime(timing.samples_us.at(next++) * 1e-6);
  state.counters["width"] = static_cast<double>(width);
  state.counters["runs"] = static_cast<double>(timing.samples_us.size());
  state.counters["median_us"] = timing.median_us;
  state.counters["lower_us"] = timing.lower_us;
  state.counters["upper_us"] = timing.upper_us;
  state.counters["minimum_us"] = timing.minimum_us;
}

void report_sequential(benchmark::State& state, const Sequential& result, std::int64_t width) {
  if (!result.wrong.empty()) return state.SkipWithError(result.wrong.c_str());
  add_timing(state, result.timing, width);
  state.counters["worst_ratio"] = result.worst_ratio;
  state.counters["checked"] = static_cast<double>(result.checked);
  state.SetLabel(fmt::format("{} elements right", result.checked));
}

void report_device(benchmark::State& state, Study& study, Series series, std::int64_t width) {
  if (!study.device) return state.SkipWithError(study.why_no_device.c_str());
  DeviceResult result;
  try {
    result = study.device->measure(series, width);
  } catch (const std::exception& error) {
    result.why_not = error.what();
  }
  const Sequential& sequential = study.sequential.at(width);
  const double apart = result.verification.worst_ratio + sequential.worst_ratio;
  if (result.why_not.empty() && !(apart <= 1))
    result.why_not =
        fmt::format("may differ from the sequential result by {:.2f} tolerances", apart);
  if (result.why_not.empty() && result.timing.samples_us.size() != DeviceStudy::kSamples)
    result.why_not = fmt::format("{} samples were taken", result.timing.samples_us.size());
  if (!result.why_not.empty()) return state.SkipWithError(result.why_not.c_str());
  add_timing(state, result.timing, width);
  state.counters["worst_ratio"] = result.verification.worst_ratio;
  state.counters["checked"] = static_cast<double>(result.verification.outputs_checked);
  state.counters["vs_sequential_at_most"] = apart;
  state.counters["calls_per_sample"] = result.timing.calls_per_sample;
  state.counters["sm_mhz"] = result.timing.sm_mhz;
  state.counters["speedup"] = sequential.timing.median_us / result.timing.median_us;
  state.SetLabel(fmt::format("{} elements right; {}; {}", result.verification.outputs_checked,
                             result.policy, result.configuration));
}

void add_rows(Study& study, std::int64_t width) {
  const auto name = [&](const char* series) { return fmt::format("{}/width:{}", series, width); };
  const Sequential& sequential = study.sequential.at(width);
  benchmark::RegisterBenchmark(name("sequential").c_str(),
                               [&sequential, width](benchmark::State& state) {
                                 report_sequential(state, sequential, width);
                               })
      ->UseManualTime()
      ->Iterations(static_cast<benchmark::IterationCount>(sequential.timing.samples_us.size()))
      ->Unit(benchmark::kMicrosecond);
  for (const auto& [title, series] :
       {std::pair("gemm/naive", Series::naive), std::pair("gemm/tiled textbook", Series::textbook),
        std::pair("gemm/tiled textbook 32", Series::textbook_32),
        std::pair("gemm/tiled tuned", Series::tuned)}) {
    const Series kernel = series;
    benchmark::RegisterBenchmark(name(title).c_str(),
                                 [&study, kernel, width](benchmark::State& state) {
                                   report_device(state, study, kernel, width);
                                 })
        ->UseManualTime()
        ->Iterations(DeviceStudy::kSamples)
        ->Unit(benchmark::kMicrosecond);
  }
}

void print_help() {
  StudyGiven given;
  tools::Options options;
  given.declare(options);
  std::cout << "tilewright_study [options]: sequential, naive and tiled matrix multiplication.\n\n"
            << tools::describe(options.specs())
            << "\nand Google Benchmark's own, among them:\n"
               "  --benchmark_out=FILE --benchmark_out_format=json\n"
               "  --benchmark_filter=REGEX\n";
}

void run(const std::vector<std::string>& line, const std::string& command_line) {
  Study study;
  StudyGiven given;
  tools::Options options;
  given.declare(options);
  const auto words = options.parse(line);
  if (!words) return print_help();
  if (!words->empty())
    throw InputError(fmt::format("'{}': only options are taken", words->front()));
  study.widths = read_widths(given.widths);
  const Library library = tools::load_library(given.measuring.places);
  try {
    study.device.emplace(given);
  } catch (const MachineError& error) {
    study.why_no_device = error.what();
  }
  add_context(study, command_line);
  for (const std::int64_t width : study.widths) {
    std::cerr << fmt::format("sequential, width {} …\n", width);
    study.sequential[width] = run_sequential(library.family("gemm").operation, width);
    add_rows(study, width);
  }
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  std::string command_line;
  for (int i = 0; i < argc; ++i) command_line += (i == 0 ? "" : " ") + std::string(argv[i]);
  benchmark::Initialize(&argc, argv, tilewright::bench::print_help);
  try {
    tilewright::bench::run({argv + 1, argv + argc}, command_line);
    benchmark::Shutdown();
    return 0;
  } catch (const tilewright::InputError& error) {
    std::cerr << "tilewright_study: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "tilewright_study: " << error.what() << '\n';
    return 3;
  }
}
