#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iostream>
#include <random>

#include "bench/trust/trust.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"

#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"

namespace tilewright::bench {
namespace {

constexpr int kLengths_us[] = {5, 10, 20, 200, 5000};
constexpr double kCyclesForMicrosecond = 1500;  // an estimate; the clock is measured
constexpr double kTolerance = 0.02;
constexpr int kSamples = 3;

// A kernel of known length, with its measurements.
struct Spin {
  std::string clock;
  double ticks = 0;
  PreparedSweep setup;
  KernelPlan kernel;
  SessionPlan session;
  std::vector<double> samples_us;
  std::vector<double> megahertz;  // by round
  int calls = 0;

  Timing timing(int rounds) const {
    return summarise(samples_us, calls, megahertz.empty() ? 0 : median(megahertz), rounds);
  }
  double length_us() const { return clock == "cycles" ? ticks / median(megahertz) : ticks / 1000; }
};

struct SpinGiven : TrustGiven {
  int rounds = 10;
  std::string definition = TILEWRIGHT_SPIN_MANIFEST;

  void declare(tools::Options& all) {
    all.number(rounds, {.least = 1, .most = 1000},
               {"rounds", "N", "How often each length is measured; 10 by default."});
    all.text(definition, {"definition", "FILE", "spin.toml, if the built-in path does not exist."});
    TrustGiven::declare(all);
  }
};

PreparedSweep setup_of(const SpinGiven& given, const std::string& clock, double ticks) {
  TrustGiven one = given;
  one.words = {given.definition, fmt::format("ticks={:.0f}", ticks), "clock=" + clock};
  return bench::setup_of(one);
}

Spin prepare(const SpinGiven& given, TrustCompiler& compiler, const std::string& clock,
             double ticks) {
  Spin spin;
  spin.clock = clock;
  spin.ticks = ticks;
  spin.setup = setup_of(given, clock, ticks);
  const SweepRequest& request = spin.setup.request;
  const Implementation& implementation = *request.implementations.front();
  const Candidate candidate{&implementation, default_configuration(implementation)};
  const std::atomic<bool> stop = false;
  submit_services(request, compiler.ahead());
  const Services services = wait_for_services(request, compiler.ahead(), stop).value();
  compiler.ahead().submit(
      0, compile_request(request, read_source(implementation.source, {}), candidate));
  const CompileResult code = compiler.ahead().wait_for(0, stop).value();
  if (!code.ok()) throw MachineError("the spin kernel does not compile:\n" + code.log);
  const std::vector<Problem> problems = problems_to_verify(request);
  spin.session = plan_session(request, problems, services.reference, services.probe.code);
  spin.kernel = plan_kernel(request, implementation, candidate.configuration, problems, code);
  return spin;
}

template <class T>
const T& require(const Attempt<T>& attempt, const char* step) {
  if (!attempt.ok())
    throw MachineError(fmt::format("the spin kernel: {}: {}: {}", step,
                                   to_text(attempt.failure().outcome), attempt.failure().message));
  return attempt.value();
}

void measure(Evaluator& device, Spin& spin) {
  device.open(spin.session);
  require(device.load(spin.kernel), "load");
  if (spin.samples_us.empty()) require(device.verify(), "verify");
  SampleRequest samples;
  samples.minimum_samples = samples.maximum_samples = kSamples;
  samples.budget_us = 1e12;
  const auto attempt = device.sample(samples);
  const Timing& timing = require(attempt, "sample");
  spin.samples_us.insert(spin.samples_us.end(), timing.samples_us.begin(), timing.samples_us.end());
  if (timing.sm_mhz > 0) spin.megahertz.push_back(timing.sm_mhz);
  spin.calls = timing.calls_per_sample;
}

void measure_all(Evaluator& device, std::vector<Spin>& spins, int rounds, std::uint64_t seed) {
  std::vector<std::size_t> order(spins.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) measure(device, spins[i]);
  }
}

// The increase of the measured time / the increase of the length, from each spin to the next
// longer.
struct Slope {
  std::string clock;
  double from_us = 0;
  double to_us = 0;
  double value = 0;
  bool is_right() const { return std::abs(value - 1) <= kTolerance; }
};

std::vector<Slope> slopes_of(const std::vector<Spin>& spins, int rounds) {
  std::vector<Slope> slopes;
  for (std::size_t i = 1; i < spins.size(); ++i) {
    const Spin& from = spins[i - 1];
    const Spin& to = spins[i];
    if (from.clock != to.clock) continue;
    const double more_us = to.timing(rounds).median_us - from.timing(rounds).median_us;
    slopes.push_back({to.clock, from.length_us(), to.length_us(),
                      more_us / (to.length_us() - from.length_us())});
  }
  return slopes;
}

void print(const std::vector<Spin>& spins, const std::vector<Slope>& slopes, int rounds) {
  tools::Table table({"clock", "length", "measured", "95 % interval", "offset", "MHz", "calls"},
                     {1, 2, 3, 4, 5, 6});
  for (const Spin& spin : spins) {
    const Timing timing = spin.timing(rounds);
    table.add({spin.clock, fmt::format("{:.3f} µs", spin.length_us()),
               fmt::format("{:.3f} µs", timing.median_us),
               fmt::format("{:.3f} to {:.3f}", timing.interval_low_us, timing.interval_high_us),
               fmt::format("{:+.3f} µs", timing.median_us - spin.length_us()),
               timing.sm_mhz > 0 ? fmt::format("{:.0f}", timing.sm_mhz) : "",
               std::to_string(timing.calls_per_sample)});
  }
  table.print(std::cout);
  for (const Slope& slope : slopes)
    std::cout << fmt::format("slope by {} from {:.0f} to {:.0f} µs: {:.4f}, {} 2 %\n", slope.clock,
                             slope.from_us, slope.to_us, slope.value,
                             slope.is_right() ? "within" : "NOT within");
}

nlohmann::json json_of(const std::vector<Spin>& spins, const std::vector<Slope>& slopes,
                       int rounds) {
  const PreparedSweep& setup = spins.front().setup;
  nlohmann::json json = {{"device", tools::device_summary(setup.request.device)},
                         {"environment", to_json(setup.environment)},
                         {"rounds", rounds}};
  for (const Spin& spin : spins) {
    nlohmann::json item = tools::timing_summary(spin.timing(rounds));
    item.update({{"clock", spin.clock},
                 {"ticks", spin.ticks},
                 {"length_us", spin.length_us()},
                 {"offset_us", spin.timing(rounds).median_us - spin.length_us()},
                 {"samples_us", spin.samples_us}});
    json["kernels"].push_back(item);
  }
  for (const Slope& slope : slopes)
    json["slopes"].push_back({{"clock", slope.clock},
                              {"from_us", slope.from_us},
                              {"to_us", slope.to_us},
                              {"slope", slope.value},
                              {"right", slope.is_right()}});
  return json;
}

int run_spin(const SpinGiven& given) {
  const int rounds = given.rounds;
  const Device device = setup_of(given, "nanoseconds", 1000).request.device;
  TrustCompiler compiler(given.measuring, device);
  std::vector<Spin> spins;
  for (const int length : kLengths_us)
    spins.push_back(prepare(given, compiler, "nanoseconds", 1000.0 * length));
  if (!runs_on_cpu(device.kind))  // on a CPU cycles are not counted
    for (const int length : kLengths_us)
      spins.push_back(prepare(given, compiler, "cycles", kCyclesForMicrosecond * length));
  const auto session = worker_session(device);
  measure_all(*session, spins, rounds, given.search.options.seed);
  for (const Spin& spin : spins)
    if (spin.clock == "cycles" && spin.megahertz.empty())
      throw MachineError("the SM clock is not known, so cycles do not give a time");
  const std::vector<Slope> slopes = slopes_of(spins, rounds);
  print(spins, slopes, rounds);
  write_json(given, json_of(spins, slopes, rounds));
  return std::ranges::all_of(slopes, &Slope::is_right) ? 0 : 1;
}

}  // namespace

tools::Command spin_part() {
  return tools::make_command(
      {"spin", {}, "kernels of known length, timed as a sweep times", "[options]", ""}, run_spin);
}

}  // namespace tilewright::bench
