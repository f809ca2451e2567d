//
// tilewright-peers compares stored winners with other libraries, in one run, by alternating pairs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/peers/results.hpp"
#include "bench/peers/tournament.hpp"
#include "campaign/device_lock.hpp"
#include "definition/problem.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/text.hpp"
#include "tools/run/interrupt.hpp"
#include "tuner/cuda/device/monitor.hpp"

namespace tilewright::bench {
namespace {

constexpr int kInterrupted = 130;

struct PeersGiven {
  ArenaGiven arena;
  std::vector<std::string> libraries;
  std::string json;
  bool lists_sweeps = false;

  void declare(tools::Options& all) {
    all.texts(libraries,
              {"libraries", "DIR", "Folder with libraries; any number. Then the loader's path."});
    all.text(json, {"json", "FILE", "Write all figures and samples here."});
    all.flag(lists_sweeps,
             {"list-sweeps", "",
              "Print what must be tuned first: in each line a name and a sweep's arguments."});
    arena.measuring.declare_no_wait(all);
    arena.declare(all);
  }
};

void print_help() {
  PeersGiven given;
  tools::Options options;
  given.declare(options);
  std::cout << "tilewright-peers [options]: compares stored winners with other libraries.\n\n"
            << tools::describe(options.specs())
            << "\nand Google Benchmark's own, among them:\n"
               "  --benchmark_filter=REGEX   of CASE/RIVAL\n";
}

void list_sweeps(const ArenaGiven& given) {
  const Library library = tools::load_library(given.measuring.places);
  for (const Case& item : cases()) {
    std::cout << fmt::format("{}\t{} {}\n", item.name, item.operation, to_text(item.problem));
    if (item.operation != "conv2d") continue;
    const Problem problem =
        make_problem(library.family(item.operation).operation, item.problem, Device{});
    if (const auto same = kernel_tuner_problem(problem))
      std::cout << fmt::format("kernel-tuner-{}\t{} {}\n", item.name, given.definition,
                               to_text(*same));
  }
}

// The rival's times become the benchmark's times. The rest become counters.
void report(benchmark::State& state, const Match& match) {
  if (!match.is_measured()) return state.SkipWithError(match.why_not.c_str());
  std::size_t next = 0;
  for (auto _ : state) state.SetIterationTime(1e-6 * match.theirs.timing.samples_us.at(next++));
  state.counters["ours_us"] = match.ours.timing.median_us;
  state.counters["theirs_us"] = match.theirs.timing.median_us;
  state.counters["ratio"] = match.ratio.value;
  state.counters["floor_us"] = match.floor_us;
  state.counters["error"] = match.theirs.accuracy.worst_error;
  state.SetLabel(match.theirs.how);
}

void write_json(const std::string& file, const nlohmann::json& json) {
  std::ostringstream text;
  tools::print_json(text, json);
  write_file(file, text.str());
}

// Runs every match as a benchmark of its own, and calls `done` after each.
void add_benchmarks(Tournament& tournament, const std::atomic<bool>& stop,
                    std::vector<Match>& matches, const std::function<void()>& done) {
  for (const Case& item : cases())
    for (const Rival& rival : rivals_of(item)) {
      const std::string name = item.name + '/' + rival.name;
      benchmark::RegisterBenchmark(
          name.c_str(),
          [&tournament, &stop, &matches, done, item, rival](benchmark::State& state) {
            if (stop) return state.SkipWithError("interrupted");
            matches.push_back(tournament.play(item, rival));
            report(state, matches.back());
            done();
          })
          ->UseManualTime()
          ->Iterations(kPairs)
          ->Unit(benchmark::kMicrosecond);
    }
}

void play(Tournament& tournament, const std::atomic<bool>& stop, std::vector<Match>& matches,
          const std::function<void()>& done) {
  add_benchmarks(tournament, stop, matches, done);
  benchmark::ConsoleReporter progress(benchmark::ConsoleReporter::OO_None);
  progress.SetOutputStream(&std::cerr);
  progress.SetErrorStream(&std::cerr);
  benchmark::RunSpecifiedBenchmarks(&progress);
}

int measure(const PeersGiven& given, const std::string& command_line) {
  Arena arena(given.arena);
  const tools::InterruptGuard interrupt;
  const DeviceClaim claim =
      tools::claim(given.arena.measuring, arena.report(), tools::stop_requested());
  if (!claim.lock) return kInterrupted;
  Ceilings ceilings(arena);
  const auto monitor = cuda::make_monitor(arena.report().uuid);
  Tournament tournament(arena, ceilings, *monitor,
                        {given.libraries.begin(), given.libraries.end()});
  Record record = {command_line,
                   arena.device(),
                   arena.environment(),
                   arena.cache(),
                   ceilings.flops_per_us(),
                   {},
                   {}};
  // After each match, so that a killed run loses nothing.
  const auto save = [&] {
    record.copies_us = ceilings.copies_us();
    if (!given.json.empty()) write_json(given.json, json_of(record));
  };
  std::exception_ptr broken;
  try {
    play(tournament, tools::stop_requested(), record.matches, save);
  } catch (const MachineError&) {
    broken = std::current_exception();  // report earlier measurements first
  }
  print(std::cout, record);
  if (broken) std::rethrow_exception(broken);
  if (tools::stop_requested()) return kInterrupted;
  return std::ranges::any_of(record.matches, &Match::is_measured) ? 0 : 1;
}

int run(const std::vector<std::string>& line, const std::string& command_line) {
  PeersGiven given;
  tools::Options options;
  given.declare(options);
  const auto words = options.parse(line);
  if (words && !words->empty())
    throw InputError(fmt::format("'{}': only options are taken", words->front()));
  if (words && !given.lists_sweeps) return measure(given, command_line);
  if (words)
    list_sweeps(given.arena);
  else
    print_help();
  return 0;
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  std::string command_line;
  for (int i = 0; i < argc; ++i) command_line += (i == 0 ? "" : " ") + std::string(argv[i]);
  benchmark::Initialize(&argc, argv, tilewright::bench::print_help);
  try {
    const int status = tilewright::bench::run({argv + 1, argv + argc}, command_line);
    benchmark::Shutdown();
    return status;
  } catch (const tilewright::InputError& error) {
    std::cerr << "tilewright-peers: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "tilewright-peers: " << error.what() << '\n';
    return 3;
  }
}
