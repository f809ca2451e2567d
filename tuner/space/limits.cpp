#include "tuner/space/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

using Extent = std::array<std::int64_t, 3>;
using Found = std::optional<Violation>;

template <class... Parts>
Violation broken(const char* rule, fmt::format_string<Parts...> message, Parts&&... parts) {
  return {rule, fmt::format(message, std::forward<Parts>(parts)...)};
}

constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
// More than 8 need an attribute, which loading the code sets, and may be too many for a device.
constexpr std::int64_t kMostBlocksPerCluster = 16;
constexpr std::int64_t kFirstCapabilityWithClusters = 90;
constexpr std::int64_t kMostRegistersPerThread = 255;
constexpr std::int64_t kRegisterUnit = 8;  // a warp's registers are allocated in 8 × 32

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return value / unit * unit + (value % unit == 0 ? 0 : unit);
}

// "64 × 32", without trailing ones.
std::string describe(const Extent& extent) {
  std::size_t used = 3;
  while (used > 1 && extent[used - 1] == 1) --used;
  std::string text = std::to_string(extent[0]);
  for (std::size_t i = 1; i < used; ++i) text += fmt::format(" × {}", extent[i]);
  return text;
}

Found check_not_empty(const PlannedLaunch& launch) {
  for (std::size_t i = 0; i < 3; ++i)
    for (const auto& [name, extent] :
         {std::pair("grid", launch.grid), std::pair("block", launch.block)})
      if (extent[i] < 1)
        return broken("empty_launch", "{} {} = {}; the least is 1", name, kAxes[i], extent[i]);
  return std::nullopt;
}

Found check_extent(const char* rule, std::string_view what, const Extent& extent,
                   const Extent& most) {
  for (std::size_t i = 0; i < 3; ++i)
    if (most[i] > 0 && extent[i] > most[i])
      return broken(rule, "{} {} = {}; the device allows {}", what, kAxes[i], extent[i], most[i]);
  return std::nullopt;
}

Found check_block(const PlannedLaunch& launch, const Device& device) {
  const std::int64_t threads = volume(launch.block);
  if (device.max_threads_per_block > 0 && threads > device.max_threads_per_block) {
    const std::string shape = describe(launch.block);
    const std::string total = std::to_string(threads);
    return broken("threads_per_block", "block of {}{} threads; the device allows {}", shape,
                  shape == total ? "" : " = " + total, device.max_threads_per_block);
  }
  return check_extent("block_dimension", "block", launch.block, device.max_block);
}

Found check_shared(std::string_view what, std::int64_t bytes, const Device& device) {
  if (bytes < 0) return broken("shared_memory", "{} = {} bytes", what, bytes);
  if (device.shared_bytes_per_block <= 0 || bytes <= device.shared_bytes_per_block)
    return std::nullopt;
  return broken("shared_memory", "{} of {} bytes a block; the device allows {}", what, bytes,
                device.shared_bytes_per_block);
}

Found check_cluster(const PlannedLaunch& launch, const Device& device) {
  if (launch.cluster == Extent{1, 1, 1}) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch.cluster[i] < 1)
      return broken("cluster", "cluster {} = {}; the least is 1", kAxes[i], launch.cluster[i]);
    const bool is_open = !launch.grid_texts[i].empty();  // until the code is loaded
    if (!is_open && launch.grid[i] % launch.cluster[i] != 0)
      return broken("cluster", "cluster {0} = {1} does not divide grid {0} = {2}", kAxes[i],
                    launch.cluster[i], launch.grid[i]);
  }
  const std::int64_t blocks = volume(launch.cluster);
  if (blocks > kMostBlocksPerCluster)
    return broken("cluster", "cluster of {} = {} blocks; the most is {}", describe(launch.cluster),
                  blocks, kMostBlocksPerCluster);
  const int capability = device.compute_capability;
  if (capability > 0 && capability < kFirstCapabilityWithClusters)
    return broken("cluster", "cluster of {} blocks; compute capability {}.{} has no clusters",
                  blocks, capability / 10, capability % 10);
  return std::nullopt;
}

Found check_tensor_maps(const PlannedLaunch& launch, const Device& device) {
  const int capability = device.compute_capability;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!launch.arguments[i].has_map()) continue;
    if (capability > 0 && capability < kFirstCapabilityWithTensorMaps)
      return broken("tensor_map",
                    "argument {} is a tensor map; compute capability {}.{} has no tensor maps",
                    i + 1, capability / 10, capability % 10);
    if (const auto error = tensor_map_error(launch.arguments[i]))
      return broken("tensor_map", "argument {}: {}", i + 1, *error);
  }
  return std::nullopt;
}

Found check_textures(const PlannedLaunch& launch, const LaunchPlan& plan) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const PlannedArgument& argument = launch.arguments[i];
    if (argument.kind != PlannedArgument::Kind::texture) continue;
    if (const auto error =
            texture_error(plan.textures.at(static_cast<std::size_t>(argument.index))))
      return broken("texture", "argument {}: {}", i + 1, *error);
  }
  return std::nullopt;
}

Found check_launch(const PlannedLaunch& launch, const Device& device) {
  Found found = check_not_empty(launch);
  if (!found) found = check_block(launch, device);
  if (!found) found = check_shared("dynamic shared memory", launch.shared_bytes, device);
  if (!found) found = check_extent("grid_limit", "grid", launch.grid, device.max_grid);
  if (!found) found = check_cluster(launch, device);
  if (!found) found = check_tensor_maps(launch, device);
  return found;
}

// A block takes whole warps, and each warp's registers are rounded up.
Found check_registers(std::string rule, std::int64_t registers, std::int64_t threads,
                      const Device& device) {
  if (device.registers_per_block <= 0 || registers <= 0 || threads <= 0) return std::nullopt;
  const std::int64_t each = round_up(std::min(registers, kMostRegistersPerThread), kRegisterUnit);
  const std::int64_t warps = round_up(threads, std::max<std::int64_t>(1, device.warp_size));
  const std::int64_t total = volume({each, warps, 1});
  if (total <= device.registers_per_block) return std::nullopt;
  return Violation{std::move(rule),
                   fmt::format("{} registers a thread, allocated as {} × {} = {} a block; the "
                               "device has {}",
                               registers, each, warps, total, device.registers_per_block)};
}

Found check_estimate(const Implementation& implementation, const LaunchPlan& plan,
                     const Scope& scope, const Device& device) {
  const std::string name = implementation.full_name();
  const std::int64_t shared =
      evaluate(implementation.estimate.shared_bytes, scope, name + ": estimate of shared_bytes");
  if (Found found = check_shared("estimated shared memory", shared, device)) return found;
  const std::int64_t registers =
      evaluate(implementation.estimate.registers, scope, name + ": estimate of registers");
  std::int64_t threads = 0;
  for (const PlannedLaunch& launch : plan.launches)
    threads = std::max(threads, volume(launch.block));
  return check_registers("registers", registers, threads, device);
}

Found check_floor(const Resources& resources, const ResourceFloor& floor) {
  if (resources.blocks_per_sm == 0)
    return broken(
        "no_resident_block",
        "no block fits on an SM: {} threads, {} registers a thread, {} bytes of shared memory",
        resources.threads, resources.registers, resources.shared_bytes);
  if (resources.spill_bytes > floor.spill_bytes)
    return broken("spills", "{} bytes of spills a thread; at most {} are accepted",
                  resources.spill_bytes, floor.spill_bytes);
  if (resources.occupancy >= 0 && resources.occupancy < floor.occupancy)
    return broken(
        "occupancy",
        "occupancy {:.3f} ({} blocks of {} threads on an SM); at least {:.3f} is required",
        resources.occupancy, resources.blocks_per_sm, resources.threads, floor.occupancy);
  return std::nullopt;
}

}  // namespace

std::optional<Violation> static_violation(const Implementation& implementation,
                                          const LaunchPlan& plan, const Scope& scope,
                                          const Device& device) {
  if (plan.is_empty())
    return Violation{"empty_launch", "every launch's `when` is false: nothing would run"};
  for (const PlannedLaunch& launch : plan.launches) {
    Found found = check_launch(launch, device);
    if (!found) found = check_textures(launch, plan);
    if (!found) continue;
    if (plan.launches.size() > 1) found->message = launch.entry + ": " + found->message;
    return found;
  }
  return check_estimate(implementation, plan, scope, device);
}

std::optional<Violation> resource_violation(const Resources& resources, const Device& device,
                                            const ResourceFloor& floor) {
  Found found;
  if (resources.shared_bytes >= 0)
    found = check_shared("shared memory", resources.shared_bytes, device);
  if (!found)
    found = check_registers("registers_per_block", resources.registers, resources.threads, device);
  return found ? found : check_floor(resources, floor);
}

std::optional<Violation> remark_violation(const Implementation& implementation,
                                          const std::string& log) {
  for (const Remark& remark : implementation.remarks)
    for (const std::string& code : remark.codes) {
      const std::size_t place = log.find('(' + code + ')');
      if (place == std::string::npos) continue;
      const std::size_t begin = log.rfind('\n', place) + 1;  // 0 if there is no line before
      return Violation{remark.why, log.substr(begin, log.find('\n', place) - begin)};
    }
  return std::nullopt;
}

LaunchLimits::LaunchLimits(const Operation& operation, const Implementation& implementation,
                           const Device& device, const Radix& radix, Bindings& bindings)
    : operation_(operation),
      implementation_(implementation),
      device_(device),
      radix_(radix),
      bindings_(bindings) {}

const std::optional<Violation>& LaunchLimits::violation(Code code) {
  const auto known = verdicts_.find(key_of(code));
  if (known != verdicts_.end()) return known->second;
  const std::size_t asked_before = asked_for_.size();
  std::optional<Violation> found = judge(code);
  if (asked_for_.size() > asked_before) verdicts_.clear();  // because their keys changed
  return verdicts_.emplace(key_of(code), std::move(found)).first->second;
}

std::optional<Value> LaunchLimits::look_up(std::string_view name) {
  const Value* const value = bindings_.find(name);
  if (value == nullptr) return std::nullopt;
  const std::size_t depth = bindings_.depth_of(name);
  if (depth > 0 && !is_among(depth - 1, asked_for_)) asked_for_.push_back(depth - 1);
  return *value;
}

std::optional<Violation> LaunchLimits::judge(Code code) {
  ++judged_;
  for (std::size_t i = 0; i < radix_.digits().size(); ++i)
    bindings_.bind(i, radix_.digits()[i].values[radix_.place(code, i)]);
  const Scope scope = [this](std::string_view name) { return look_up(name); };
  try {
    const LaunchPlan launches = plan_launches(operation_, implementation_, scope);
    return static_violation(implementation_, launches, scope, device_);
  } catch (const InputError& error) {
    throw bad_input("{}: {}, for {}", implementation_.full_name(), error.what(),
                    to_text(radix_.configuration(code).values));
  }
}

// The digits of the parameters in asked_for_.
Code LaunchLimits::key_of(Code code) const {
  Code key = 0;
  for (const std::size_t i : asked_for_) key += radix_.place(code, i) * radix_.digits()[i].weight;
  return key;
}

}  // namespace tilewright
