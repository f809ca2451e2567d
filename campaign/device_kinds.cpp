#include "campaign/device_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "db/records/staleness.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {
namespace {

constexpr const char* kPowerLimit = "power_limit_w";

std::string text_of(const DeviceReport& report) {
  const Device& device = report.device;
  const std::string partition = device.partition.empty() ? "" : " MIG " + device.partition;
  return fmt::format("{} is {}{} ({} multiprocessors)", report.id, device.name, partition,
                     device.sm_count);
}

bool has_other_limit(const DeviceReport& one, const DeviceReport& other) {
  return is_other_limit(one.environment.power_limit_w, other.environment.power_limit_w);
}

void require_same_kind(const DeviceReport& one, const DeviceReport& other) {
  if (one.device != other.device)
    throw bad_input(
        "{} and {}: times of different devices are different answers; name devices of one kind, or "
        "give --each-kind to measure every problem on each kind",
        text_of(one), text_of(other));
  if (has_other_limit(one, other))
    throw bad_input(
        "the power limit of {} is {} W and that of {} {} W: their times are different answers; set "
        "one limit (nvidia-smi -pl), name one of them, or give --each-kind to measure every "
        "problem under each limit",
        one.id, *one.environment.power_limit_w, other.id, *other.environment.power_limit_w);
}

}  // namespace

std::vector<std::vector<DeviceReport>> by_kind(const std::vector<DeviceReport>& devices,
                                               Kinds kinds) {
  std::vector<std::vector<DeviceReport>> groups;
  for (const DeviceReport& device : devices) {
    const auto is_of_its_kind = [&](const std::vector<DeviceReport>& group) {
      return std::ranges::all_of(group, [&](const DeviceReport& known) {
        return known.device == device.device && !has_other_limit(known, device);
      });
    };
    const auto group = std::ranges::find_if(groups, is_of_its_kind);
    if (group != groups.end()) {
      group->push_back(device);
      continue;
    }
    if (kinds == Kinds::one && !groups.empty())
      for (const DeviceReport& known : groups.front()) require_same_kind(known, device);
    groups.push_back({device});
  }
  return groups;
}

std::string kind_text(const DeviceReport& device) {
  Json kind = to_json(device.device);
  write_field(kind, kPowerLimit, device.environment.power_limit_w);
  return json_text(kind);
}

void require_kind(const std::string& kind, const DeviceReport& device) {
  const Json json = parse_document(kind);
  const auto agreed = from_json<Device>(json);
  const auto& limit_w = device.environment.power_limit_w;
  std::optional<int> agreed_w;
  read_field(json, kPowerLimit, agreed_w);
  if (agreed != device.device)
    throw bad_input(
        "this job is measured on {} ({} multiprocessors), and {} is {} ({}); plan a job of its own "
        "for another kind of device",
        agreed.name, agreed.sm_count, device.id, device.device.name, device.device.sm_count);
  if (is_other_limit(agreed_w, limit_w))
    throw bad_input(
        "this job is measured under a power limit of {} W, and that of {} is {} W; set one limit "
        "(nvidia-smi -pl), or plan a job of its own for another one",
        *agreed_w, device.id, *limit_w);
}

}  // namespace tilewright
