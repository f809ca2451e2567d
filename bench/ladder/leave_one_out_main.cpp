// What the weak rungs of the look-up lose: docs/benchmarks/ladder.md.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/ladder/leave_one_out_report.hpp"
#include "bench/micro/bench_data.hpp"
#include "db/exchange/exchange.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/target.hpp"
#include "tools/print/text.hpp"

namespace tilewright::bench {
namespace {

struct LeaveOneOutGiven : tools::GivenWords {
  tools::Places places;
  bool json = false;
  std::string device;
  std::string only;

  void declare(tools::Options& all) {
    places.declare(all, {tools::kKernels});
    all.flag(json, tools::kJsonOption);
    all.text(device, {"device", "NAME", "Only devices with this in their name."});
    all.text(only, {"only", "OPERATION[/IMPLEMENTATION]",
                    "Implementations that may answer; all by default."});
  }
};

// All databases and exports, joined in one new store.
void gather(const std::vector<std::string>& files, Store& store) {
  for (const std::string& file : files) {
    if (file.ends_with(".json")) {
      store.import_sweeps(import_json(read_text_file(file, kResultsFile), file));
      continue;
    }
    const Store source(file, Store::Mode::read_only);
    std::vector<Store::Imported> sweeps;
    for (SweepRecord& sweep : source.sweeps({})) {
      std::vector<Trial> trials = source.trials(sweep.id);
      sweeps.push_back({std::move(sweep), std::move(trials)});
    }
    store.import_sweeps(sweeps);
  }
}

std::vector<Device> devices_of(const Store& store, const std::string& operation,
                               const std::string& name) {
  std::vector<Device> devices;
  for (const BestRow& row : store.best({.operation = operation}))
    if (row.device.name.find(name) != std::string::npos &&
        std::ranges::find(devices, row.device) == devices.end())
      devices.push_back(row.device);
  return devices;
}

std::vector<Family> families_of(const LeaveOneOutGiven& given) {
  const Library library = tools::load_library(given.places);
  const std::string& only = given.only;
  const std::size_t slash = only.find('/');
  std::vector<Family> families;
  for (const auto& [operation, family] : library.families()) {
    if (!only.empty() && operation != only.substr(0, slash)) continue;
    families.push_back(family);
    if (slash == std::string::npos) continue;
    families.back().implementations = {family.implementation(only.substr(slash + 1))};
  }
  return families;
}

int run(const std::vector<std::string>& words) {
  LeaveOneOutGiven given;
  tools::Options options;
  given.declare(options);
  const auto files = options.parse(words);
  if (!files || files->empty()) {
    std::cout << "usage: tilewright-leave-one-out FILE.db|EXPORT.json… [options]\n\n"
              << tools::describe(options.specs());
    return files ? 2 : 0;
  }
  const TemporaryFolder folder;
  Store store(folder / "all.db");
  gather(*files, store);
  nlohmann::json json = nlohmann::json::array();
  for (const Family& family : families_of(given))
    for (const Device& device : devices_of(store, family.operation.name, given.device)) {
      const LadderStudy study{&family.operation, device, leave_one_out(family, device, store)};
      if (given.json)
        json.push_back(json_of(study));
      else
        print_study(std::cout, study);
    }
  if (given.json) tools::print_json(std::cout, json);
  return 0;
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run({argv + 1, argv + argc});
  } catch (const tilewright::InputError& error) {
    std::cerr << "tilewright-leave-one-out: " << error.what() << '\n';
    return 2;
  } catch (const tilewright::MachineError& error) {
    std::cerr << "tilewright-leave-one-out: " << error.what() << '\n';
    return 3;
  }
}
