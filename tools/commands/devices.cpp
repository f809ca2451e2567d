#include <optional>

#include "definition/json/json.hpp"
#include "tools/input/command.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

std::string capability_text(const Device& device) {
  return fmt::format("{}.{}", device.compute_capability / 10, device.compute_capability % 10);
}

std::string watts_text(const Environment& environment) {
  const std::optional<int>& limit = environment.power_limit_w;
  return limit ? fmt::format("{} W", *limit) : "-";
}

struct DevicesGiven : GivenWords {
  bool json = false;

  void declare(Options& all) { all.flag(json, kJsonOption); }
};

void print_devices_json(const std::vector<DeviceReport>& list, const std::string& why) {
  const auto json_of = [](const DeviceReport& report) -> nlohmann::json {
    return {{"id", report.id},
            {"device", device_summary(report.device)},
            {"environment", to_json(report.environment)},
            {"memory_bytes", report.memory_bytes},
            {"uuid", report.uuid}};
  };
  const auto json_of_library = [](const RoutineLibrary& one) -> nlohmann::json {
    nlohmann::json json = {{"routine", one.routine}};
    json[one.version.empty() ? "why" : "version"] = one.version.empty() ? one.why : one.version;
    return json;
  };
  nlohmann::json json = {{"devices", json_list(list, json_of)},
                         {"libraries", json_list(libraries_present(toolchain()), json_of_library)}};
  if (!why.empty()) json["why"] = why;
  print_json(std::cout, json);
}

void print_table(const std::vector<DeviceReport>& list) {
  Table table({"device", "name", "capability", "SMs or cores", "memory", "L2", "shared/block",
               "power limit", "driver"});
  table.may_lose({6, 5, 3, 8, 7, 4});
  for (const DeviceReport& report : list) {
    const Device& device = report.device;
    const bool is_cpu = runs_on_cpu(device.kind);
    table.add({report.id, device.name + (device.partition.empty() ? "" : " " + device.partition),
               is_cpu ? "-" : capability_text(device), std::to_string(device.sm_count),
               bytes_text(report.memory_bytes), is_cpu ? "-" : bytes_text(device.l2_bytes),
               bytes_text(device.shared_bytes_per_block), watts_text(report.environment),
               report.environment.driver});
  }
  table.print(std::cout);
}

int run_devices(const DevicesGiven& given) {
  if (!given.words.empty())
    throw bad_input("devices takes no name; '{}' is one too many", given.words.front());
  const std::string why = gpus_present().why;
  const std::vector<DeviceReport> devices = devices_present();
  if (given.json) {
    print_devices_json(devices, why);
  } else {
    print_table(devices);
    for (const RoutineLibrary& one : libraries_present(toolchain()))
      std::cout << "foreign library: " << one.text() << '\n';
    if (!why.empty()) std::cerr << "no GPU: " << why << '\n';
  }
  return kDone;
}

}  // namespace

Command devices_command() {
  return make_command({"devices", Purpose::tune,
                       "List the devices that can measure: GPUs, and this machine's CPU as host.",
                       "[--json]", "  tilewright devices\n"},
                      run_devices);
}

}  // namespace tilewright::tools
