#include "tuner/worker/device_client.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr int kTimesSlowest = 20;

// How much longer a step may take than on a GPU.
int slowness(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
      return 1;
    case DeviceKind::host:
      return 3;  // because it verifies in three orders
  }
  return 1;
}

}  // namespace

StepLimit StepLimit::fixed_at(std::chrono::milliseconds limit) {
  return {limit, limit, Kind::fixed};
}

StepLimits StepLimits::fixed_at(std::chrono::milliseconds limit) {
  StepLimits limits;
  limits.load = limits.verify = limits.sample = StepLimit::fixed_at(limit);
  return limits;
}

StepLimits step_limits_for(DeviceKind kind) {
  StepLimits limits;
  for (StepLimit* limit : {&limits.load, &limits.verify, &limits.sample}) {
    limit->start *= slowness(kind);
    limit->floor *= slowness(kind);
  }
  return limits;
}

std::chrono::milliseconds limit_of(const StepLimit& limit, std::chrono::milliseconds slowest) {
  if (limit.kind == StepLimit::Kind::fixed || slowest.count() == 0) return limit.start;
  return std::max(limit.floor, kTimesSlowest * slowest);
}

}  // namespace tilewright
