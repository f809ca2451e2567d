#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "definition/field_list.hpp"
#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

template <class Any, class Struct>
concept MaybeConst = std::same_as<std::remove_const_t<Any>, Struct>;

// The only list of a Device's fields. JSON, the rows of the store, remembered answers, the names in
// expressions and the exported header follow from it. A new field needs a member of Device, a line
// here, a column in db/tables/schema.sql with its step in db/store/migrations.cpp, and code in the
// backends that sets it. All fields together identify a device. Other facts belong to DeviceReport
// or Environment.
struct DeviceField {
  using Triple = std::array<std::int64_t, 3>;
  using Member = std::variant<DeviceKind Device::*, std::string Device::*, int Device::*,
                              std::int64_t Device::*, Triple Device::*>;

  const char* name;  // key in JSON, column in the store; a triple has three columns: NAME_x, …
  Member member;
  bool in_expressions;  // of manifests, as device.NAME; numbers are in the exported header too
  bool in_reports;      // printed by `--json`

  constexpr operator const char*() const { return name; }  // NOLINT: implicit on purpose
};

// In the order of JSON and of the store's columns.
inline constexpr std::array kDeviceFields = std::to_array<DeviceField>({
    {"kind", &Device::kind, true, true},
    {"name", &Device::name, false, true},
    {"compute_capability", &Device::compute_capability, true, true},
    {"partition", &Device::partition, false, true},
    {"sm_count", &Device::sm_count, true, true},
    {"l2_bytes", &Device::l2_bytes, true, true},
    {"shared_bytes_per_block", &Device::shared_bytes_per_block, true, true},
    {"shared_bytes_per_sm", &Device::shared_bytes_per_sm, true, true},
    {"reserved_shared_bytes", &Device::reserved_shared_bytes, false, false},
    {"registers_per_block", &Device::registers_per_block, true, false},
    {"registers_per_sm", &Device::registers_per_sm, true, true},
    {"max_threads_per_block", &Device::max_threads_per_block, true, false},
    {"max_threads_per_sm", &Device::max_threads_per_sm, true, true},
    {"max_blocks_per_sm", &Device::max_blocks_per_sm, true, false},
    {"warp_size", &Device::warp_size, true, false},
    {"max_block", &Device::max_block, false, false},
    {"max_grid", &Device::max_grid, false, false},
});

// Calls visit(field, value) for each field, in order. If the Device is not const, visit() may
// change the value.
template <class Visit>
void for_each_field(MaybeConst<Device> auto& device, const Visit& visit) {
  for (const DeviceField& field : kDeviceFields)
    std::visit([&](auto member) { visit(field, device.*member); }, field.member);
}

// The only lists of the fields of other structs (field_list.hpp). JSON and the rows of the store
// have this order.
TILEWRIGHT_LIST_FIELDS(always, Environment, driver, runtime, compiler, tool, power_limit_w);

TILEWRIGHT_LIST_FIELDS(always, Policy, cache, submission);

TILEWRIGHT_LIST_FIELDS(always, Problem, operation, values);

TILEWRIGHT_LIST_FIELDS(always, Resources, registers, shared_bytes, spill_bytes, stack_bytes,
                       threads, blocks_per_sm, occupancy);

TILEWRIGHT_LIST_FIELDS(always, Verification, outputs_checked, outputs_total, worst_error,
                       worst_ratio, seed);

template <class Visit>
void for_each_field(MaybeConst<Timing> auto& timing, const Visit& visit) {
  visit("median_us", timing.median_us);
  visit("interval_low_us", timing.interval_low_us);
  visit("interval_high_us", timing.interval_high_us);
  visit("lower_us", timing.lower_us);
  visit("upper_us", timing.upper_us);
  visit("minimum_us", timing.minimum_us);
  visit("calls_per_sample", timing.calls_per_sample);
  visit("rounds", timing.rounds);
  visit("sm_mhz", timing.sm_mhz);
  visit("cache", timing.cache);
  visit("power_w", timing.power_w);
  visit("energy_mj", timing.energy_mj);
  visit("temperature_c", timing.temperature_c);
  visit("throttle_reasons", timing.throttle_reasons);
  visit("samples_us", timing.samples_us);
}

TILEWRIGHT_LIST_FIELDS(always, Trial, implementation, configuration, outcome, stage, rule, message,
                       code_hash, compile_ms, resources, verification, timing, warm_timing,
                       ended_s);

}  // namespace tilewright
