//
// tilewright-trust: what a sweep's times and winners are worth. docs/benchmarks/trust.md
#include "bench/trust/trust.hpp"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"
#include "tools/print/text.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/worker/device_client.hpp"
#include "tuner/worker/role.hpp"

namespace tilewright::bench {
namespace {

struct Part {
  const char* name;
  const char* about;
  std::vector<tools::OptionSpec> (*options)();
  int (*run)(const tools::Arguments&);
};

constexpr Part kParts[] = {
    {"spin", "spin [options]: kernels of known length, timed as a sweep times", spin_options,
     run_spin},
    {"naive",
     "naive OPERATION[/IMPLEMENTATION] DIM=VALUE… --configurations FILE [options]: an export's "
     "configurations, timed as is often done: the mean of seven launches, the first included",
     naive_options, run_naive},
    {"isolation",
     "isolation OPERATION[/IMPLEMENTATION] DIM=VALUE… [options]: one sweep with and without a "
     "worker process, with and without early abandoning",
     isolation_options, run_isolation},
    {"winners",
     "winners DATABASE DATABASE… [options]: the winners that several databases have for the same "
     "problems, side by side with cold and with warm operands",
     winners_options, run_winners}};

int print_help() {
  std::cout << "tilewright-trust PART …: what times and winners are worth\n";
  for (const Part& part : kParts)
    std::cout << fmt::format("\n{}\n{}", part.about, tools::describe(part.options()));
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") return print_help();
  for (const Part& part : kParts) {
    if (words[0] != part.name) continue;
    const auto arguments =
        tools::Arguments::parse({words.begin() + 1, words.end()}, part.options());
    return arguments.has("help") ? print_help() : part.run(arguments);
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
  return std::make_unique<DeviceClient>(options);
}

std::unique_ptr<Evaluator> local_session(const Device& device) {
  return backend_of(device.kind).make_session();
}

std::vector<tools::OptionSpec> with_common(std::vector<tools::OptionSpec> options) {
  for (tools::OptionSpec& option :
       std::vector<tools::OptionSpec>{{"device", "DEVICE", "cuda:N or host, as a sweep takes it."},
                                      {"json", "FILE", "Write all figures here."},
                                      tools::kSeedOption,
                                      tools::kJobsOption,
                                      tools::kCacheOption,
                                      tools::kKernelsOption})
    options.push_back(std::move(option));
  return options;
}

void write_json(const tools::Arguments& arguments, const nlohmann::json& json) {
  const auto file = arguments.text("json");
  if (!file) return;
  std::ostringstream text;
  tools::print_json(text, json);
  write_file(*file, text.str());
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
