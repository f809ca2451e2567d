#include "tuner/sweep/code_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilewright {
namespace {

bool costlier(const Resources& a, const Resources& b) {
  if (a.blocks_per_sm != b.blocks_per_sm) return a.blocks_per_sm < b.blocks_per_sm;
  return a.threads > b.threads;
}

std::string argument_key(const PlannedArgument& argument) {
  std::string key = fmt::format("{}:{}:{}:{:02x}", static_cast<int>(argument.kind), argument.index,
                                argument.offset, fmt::join(argument.bytes, ""));
  const PlannedTensorMap& map = argument.map;
  if (argument.kind == PlannedArgument::Kind::tensor_map)
    key += fmt::format(":{}:{}:{}:{}:{}", fmt::join(map.dims, ","), fmt::join(map.strides, ","),
                       fmt::join(map.box, ","), map.swizzle, map.promote);
  return key;
}

}  // namespace

std::optional<std::string> missing_entry(const LaunchPlan& plan, const CompileResult& code) {
  for (const PlannedLaunch& launch : plan.launches)
    if (!code.entries.contains(launch.entry)) return launch.entry;
  return std::nullopt;
}

std::optional<Failure> missing_entry_failure(const LaunchPlan& plan, const CompileResult& code) {
  const auto missing = missing_entry(plan, code);
  if (!missing) return std::nullopt;
  return Failure{Outcome::compile_failed, "the code has no kernel '" + *missing + "'\n" + code.log};
}

std::vector<Resources> resources_by_launch(const LaunchPlan& plan, const CompileResult& code,
                                           const BackendFacts& backend, const Device& device) {
  std::vector<Resources> all;
  for (const PlannedLaunch& launch : plan.launches) {
    const auto entry = code.entries.find(launch.entry);
    if (entry == code.entries.end()) continue;
    Resources resources = entry->second.resources;
    resources.threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
    if (resources.shared_bytes >= 0) resources.shared_bytes += launch.shared_bytes;
    if (backend.add_occupancy && resources.registers >= 0) backend.add_occupancy(resources, device);
    all.push_back(resources);
  }
  return all;
}

Resources costliest(const std::vector<Resources>& launches) {
  const auto worst = std::min_element(launches.begin(), launches.end(), costlier);
  return worst == launches.end() ? Resources{} : *worst;
}

std::map<std::string, std::string> symbols_of(const CompileResult& code) {
  std::map<std::string, std::string> symbols;
  for (const auto& [name, entry] : code.entries) symbols[name] = entry.symbol;
  return symbols;
}

std::string launch_key(const std::string& code_hash, const LaunchPlan& plan) {
  std::string key = fmt::format("{}/{}/{}", code_hash, plan.workspace_bytes,
                                static_cast<int>(plan.workspace_zero));
  for (const PlannedLaunch& launch : plan.launches) {
    key += fmt::format("/{}|{}|{}|{}|{}", launch.entry, fmt::join(launch.grid, ","),
                       fmt::join(launch.block, ","), fmt::join(launch.cluster, ","),
                       launch.shared_bytes);
    for (const PlannedArgument& argument : launch.arguments) key += '|' + argument_key(argument);
  }
  return key;
}

}  // namespace tilewright
