// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/sweep_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "tilewright/error.hpp"
#include "tools/device_process.hpp"
#include "tools/implementation_key.hpp"
#include "tools/priors.hpp"
#include "tools/report.hpp"
#include "tuner/measure/sampling.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kDefaultBudget = 500;

// A time of one call: "250" or "250us", "1.5ms", "2s".
double microseconds(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(last, static_cast<std::size_t>(end - last));
  const double factor = unit.empty() || unit == "us" ? 1
                        : unit == "ms"               ? 1e3
                        : unit == "s"                ? 1e6
                                                     : 0;
  if (error != std::errc{} || !(number * factor > 0))
    throw InputError("--target '" + text + "': give a time of one call: 250us, 1.5ms or 2s");
  return number * factor;
}

// What can be refused without knowing the device.
void check_input(const Arguments& arguments, const Target& target) {
  make_problem(target.operation(), target.assignments, Device{});
  read_where(arguments, target);
  arguments.choice("policy", {"warm", "cold"});
  arguments.choice("strategy", strategy_names());
  read_floor(arguments);
  prior_use(arguments);
  arguments.seconds("time-limit");
  if (const auto text = arguments.text("target")) microseconds(*text);
  check_limits(arguments);
  if (arguments.has("fresh") && arguments.has("retry"))
    throw InputError("--fresh measures everything anew, --retry what failed; give one of them");
  arguments.number("seed");
  arguments.number("jobs");
  if (arguments.text("budget") != "all" && arguments.number("budget") == 0)
    throw InputError("--budget '0': give a number from 1, or all");
}

Policy choose_policy(const Arguments& arguments, std::int64_t bytes, const Device& device) {
  Policy policy;
  if (device.kind == "host") policy.submission = "call";
  if (!arguments.has("policy")) {
    policy.cache = default_cache_policy(bytes, device);
  } else if (arguments.choice("policy", {"warm", "cold"}) == "cold") {
    if (device.kind == "host")
      throw InputError("--policy 'cold': the host device is measured warm only");
    policy.cache = CachePolicy::cold;
  }
  return policy;
}

void check_memory(const Policy& policy, std::int64_t bytes, const DeviceReport& report) {
  const int sets = operand_sets(policy.cache, bytes, report.device.l2_bytes);
  if (report.memory_bytes == 0 || bytes <= report.memory_bytes / sets) return;
  throw InputError(
      fmt::format("the problem does not fit: {} of operands{}, and {} has {}", bytes_text(bytes),
                  sets > 1 ? fmt::format(" in {} sets (--policy warm needs one)", sets) : "",
                  report.device.name, bytes_text(report.memory_bytes)));
}

DeviceReport device_for(const Arguments& arguments) {
  const auto device = arguments.text("device");
  return device ? find_device(*device) : default_device();
}

void choose_budget(const Arguments& arguments, SweepSetup& setup) {
  SweepRequest& request = setup.request;
  if (arguments.text("budget") == "all") {
    request.budget = 0;
  } else if (const auto budget = arguments.number("budget")) {
    request.budget = *budget;
  } else if (arguments.text("strategy") != "exhaustive" && setup.legal > kDefaultBudget) {
    request.budget = kDefaultBudget;
    setup.budget_was_chosen = true;
    request.plateau = PlateauRule{};
  }
  if (request.budget >= setup.legal) request.budget = 0;
  if (!arguments.has("strategy")) request.strategy = request.budget == 0 ? "exhaustive" : "model";
}

// The limits that change what is tried are part of what makes a sweep the same sweep.
std::string strategy_key(const SweepRequest& request, PriorUse priors) {
  std::string key = request.strategy;
  if (priors == PriorUse::none && is_learning(key)) key += " no_priors";
  if (request.time_limit_s > 0) key += fmt::format(" time_limit_s={}", request.time_limit_s);
  if (request.target_us > 0) key += fmt::format(" target_us={}", request.target_us);
  if (request.plateau.least > 0) key += " plateau";
  if (request.floor.occupancy > 0)
    key += fmt::format(" occupancy_floor={}", request.floor.occupancy);
  if (request.floor.spill_bytes != ResourceFloor{}.spill_bytes)
    key += fmt::format(" max_spill={}", request.floor.spill_bytes);
  return key;
}

SweepKey sweep_key(const SweepRequest& request, PriorUse priors) {
  SweepKey key;
  key.operation = request.operation->name;
  key.problem = request.problem;
  key.device = request.device;
  key.policy = request.policy;
  for (const Implementation* implementation : request.implementations)
    key.implementations.push_back(key_of(*implementation, *request.operation));
  key.where = request.where ? request.where->text() : "";
  key.strategy = strategy_key(request, priors);
  key.budget = request.budget;
  key.seed = request.seed;
  return key;
}

}  // namespace

SweepSetup prepare_sweep(const Arguments& arguments) {
  return prepare_sweep(arguments, read_target(arguments));
}

Problem check_problem(const Arguments& arguments, const Target& target) {
  check_input(arguments, target);
  const DeviceReport report = device_for(arguments);
  const Problem problem = make_problem(target.operation(), target.assignments, report.device);
  const std::int64_t bytes = operand_bytes(target.operation(), problem);
  check_memory(choose_policy(arguments, bytes, report.device), bytes, report);
  return problem;
}

SweepSetup prepare_sweep(const Arguments& arguments, Target target) {
  SweepSetup setup;
  setup.target = std::move(target);
  check_input(arguments, setup.target);
  const DeviceReport report = device_for(arguments);
  setup.device = report;
  SweepRequest& request = setup.request;
  request.operation = &setup.target.operation();
  request.implementations = setup.target.implementations;
  request.device = report.device;
  request.device_index = report.index;
  request.backend = facts_of(report.device);
  request.problem = make_problem(*request.operation, setup.target.assignments, request.device);
  const std::int64_t bytes = operand_bytes(*request.operation, request.problem);
  request.policy = choose_policy(arguments, bytes, request.device);
  check_memory(request.policy, bytes, report);
  request.where = read_where(arguments, setup.target);
  request.seed = arguments.number("seed").value_or(1);
  request.time_limit_s = arguments.seconds("time-limit").value_or(0);
  if (const auto time = arguments.text("target")) request.target_us = microseconds(*time);
  request.floor = read_floor(arguments);
  if (arguments.has("strategy")) request.strategy = arguments.choice("strategy", strategy_names());
  for (const Implementation* implementation : request.implementations) {
    setup.spaces.push_back(build_space(*request.operation, *implementation, request.problem,
                                       request.device, request.where));
    setup.legal += setup.spaces.back().legal.size();
  }
  choose_budget(arguments, setup);
  setup.environment = environment_of(report);
  setup.key = sweep_key(request, prior_use(arguments));
  return setup;
}

}  // namespace tilewright::tools
