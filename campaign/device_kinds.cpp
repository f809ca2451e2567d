#include "campaign/device_kinds.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {
namespace {

std::string text_of(const DeviceReport& report) {
  const Device& device = report.device;
  const std::string partition = device.partition.empty() ? "" : " MIG " + device.partition;
  return fmt::format("{} is {}{} ({} multiprocessors)", report.id, device.name, partition,
                     device.sm_count);
}

void require_same_kind(const DeviceReport& one, const DeviceReport& other) {
  if (one.device == other.device) return;
  throw InputError(fmt::format(
      "{} and {}: times of different devices are different answers; name devices of one kind, or "
      "give --each-kind to measure every problem on each kind",
      text_of(one), text_of(other)));
}

void require_same_limit(const PooledDevice& one, const PooledDevice& other) {
  if (!one.power_limit_w || !other.power_limit_w || *one.power_limit_w == *other.power_limit_w)
    return;
  throw InputError(fmt::format(
      "the power limit of {} is {:.6g} W and that of {} {:.6g} W: their times are different "
      "answers, "
      "and results do not keep the limit; set one limit (nvidia-smi -pl) or name one of them",
      one.report.id, *one.power_limit_w, other.report.id, *other.power_limit_w));
}

}  // namespace

PooledDevice pooled(DeviceReport report) {
  const auto limit = backend_of(report.device.kind).make_monitor(report)->read().power_limit_w;
  return {std::move(report), limit};
}

std::vector<std::vector<DeviceReport>> by_kind(const std::vector<PooledDevice>& devices,
                                               Kinds kinds) {
  std::vector<std::vector<PooledDevice>> groups;
  for (const PooledDevice& device : devices) {
    if (kinds == Kinds::one) require_same_kind(devices.front().report, device.report);
    auto group = groups.begin();
    while (group != groups.end() && group->front().report.device != device.report.device) ++group;
    if (group == groups.end()) group = groups.insert(group, std::vector<PooledDevice>());
    if (!group->empty()) require_same_limit(group->front(), device);
    group->push_back(device);
  }
  std::vector<std::vector<DeviceReport>> reports;
  for (std::vector<PooledDevice>& group : groups) {
    reports.emplace_back();
    for (PooledDevice& device : group) reports.back().push_back(std::move(device.report));
  }
  return reports;
}

}  // namespace tilewright
