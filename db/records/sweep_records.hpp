// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"

// What the store keeps of sweeps, as values.
namespace tilewright {

// An implementation as a sweep saw it.
struct ImplementationKey {
  std::string name;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string source_hash;  // of the source and its includes
  std::string space_hash;   // of parameters, values, constraints
  Configuration default_configuration;

  bool operator==(const ImplementationKey&) const = default;
};

// What makes two sweeps the same sweep: equal fields. The environment is recorded beside it.
struct SweepKey {
  std::string operation;
  Problem problem;
  Device device;
  Policy policy;
  std::vector<ImplementationKey> implementations;
  std::string where;     // text of the filter, empty: none
  std::string strategy;  // and limits that leave part of the space out: "random time_limit_s=60"
  std::size_t budget = 0;
  std::uint64_t seed = 1;
};

// What a finished sweep says of itself.
struct SweepRecord {
  std::int64_t id = 0;
  std::string uuid;
  SweepKey key;
  Environment environment;
  std::int64_t started = 0;   // seconds since 1970, UTC
  std::int64_t finished = 0;  // 0: not finished
  std::string report;         // JSON: cuts by rule, counts, clock; kept as given
  bool imported = false;
};

// What to list; empty fields match everything. Initialisers, so that some may be named alone.
struct Query {
  std::string operation = {};
  std::string implementation = {};  // full name
  std::optional<Problem> problem = {};
  std::optional<Device> device = {};
  std::optional<Policy> policy = {};
};

// What derived answers are there of.
struct Subject {
  Problem problem;
  Device device;
  Policy policy;

  bool operator==(const Subject&) const = default;
};

// What derived answers are there of, of one operation on devices of one kind: as little as it takes
// to tell what is near, for there may be thousands.
struct SubjectList {
  struct Row {
    std::string settings;    // of the problem, canonical JSON
    std::size_t device = 0;  // into `devices`
    std::int64_t problem_id = 0;
    std::int64_t device_id = 0;
    std::int64_t policy_id = 0;
  };
  std::vector<Device> devices;
  std::vector<Row> rows;
};

// A problem that was looked up and not answered exactly.
struct Wanted {
  Subject subject;
  std::int64_t hits = 0;
  int rung = 0;                 // that answered last
  std::int64_t last_asked = 0;  // seconds since 1970, UTC
};

}  // namespace tilewright
