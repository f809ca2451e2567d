//
// tilewright-trust: what a sweep's times and winners are worth. docs/benchmarks/trust.md
#include "bench/trust/trust.hpp"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/print/text.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/worker/device_client.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright::bench {
namespace {

std::vector<tools::Command> parts() {
  return {spin_part(), naive_part(), isolation_part(), winners_part()};
}

int print_help() {
  std::cout << "tilewright-trust PART …: what times and winners are worth\n";
  for (const tools::Command& part : parts())
    std::cout << fmt::format("\n{} {}: {}\n{}", part.text.name, part.text.usage, part.text.about,
                             tools::describe(part.options));
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") return print_help();
  for (const tools::Command& part : parts()) {
    if (words[0] != part.text.name) continue;
    const auto run = part.read({words.begin() + 1, words.end()});
    return run ? run() : print_help();
  }
  throw InputError(
      fmt::format("no part '{}'; there are spin, naive, isolation and winners", words[0]));
}

}  // namespace

std::unique_ptr<Evaluator> worker_session(const Device& device) {
  DeviceClientOptions options;
  options.worker = tools::worker_program();
  options.arguments = arguments_of({WorkerRole::Task::device, device.kind});
  options.limits = StepLimits::fixed_at(std::chrono::minutes(2));
  return make_device_client(options);
}

std::unique_ptr<Evaluator> local_session(const Device& device) {
  return backend_of(device.kind).make_session({});
}

void TrustGiven::declare(tools::Options& all) {
  all.text(measuring.device, {"device", "DEVICE", "cuda:N or host, as a sweep takes it."});
  all.text(json, {"json", "FILE", "Write all figures here."});
  all.number(search.options.seed, tools::kSeedOption);
  measuring.declare_jobs(all);
  measuring.places.declare(all, {tools::kCache, tools::kKernels});
}

PreparedSweep setup_of(const TrustGiven& given) {
  return tools::prepare_sweep(given.search, tools::read_target(given.words, given.measuring.places),
                              tools::device_to_measure_on(given.measuring.device));
}

void write_json(const TrustGiven& given, const nlohmann::json& json) {
  if (given.json.empty()) return;
  std::ostringstream text;
  tools::print_json(text, json);
  write_file(given.json, text.str());
}

}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run({argv + 1, argv + argc});
  } catch (const tilewright::InputError& error) {
    std::cerr << "tilewright-trust: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "tilewright-trust: " << error.what() << '\n';
    return 3;
  }
}
