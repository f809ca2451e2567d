#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// The present moment as records hold it, UTC.
inline std::int64_t seconds_since_1970() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
}

// An implementation as a sweep used it.
struct ImplementationKey {
  std::string name;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string source_hash;  // of the source and its includes; a library's version in its place
  std::string space_hash;   // of parameters, values, constraints
  Configuration default_configuration;

  bool operator==(const ImplementationKey&) const = default;
};

// Identifies a sweep: two sweeps with equal keys answer the same request. The environment is not
// part of the key.
struct SweepKey {
  std::string operation;
  Problem problem;
  Device device;
  Policy policy;
  std::vector<ImplementationKey> implementations;
  std::string where;     // text of the filter; empty: none
  std::string strategy;  // with limits that leave part of the space out: "random time_limit_s=60"
  std::size_t budget = 0;
  std::uint64_t seed = 1;

  bool operator==(const SweepKey&) const = default;
};

struct SweepRecord {
  std::int64_t id = 0;
  std::string uuid;
  SweepKey key;
  Environment environment;
  std::int64_t started = 0;   // seconds since 1970, UTC
  std::int64_t finished = 0;  // 0: not finished
  std::string report;         // JSON: cuts by rule, counts, clock; stored unchanged
  bool imported = false;
  std::string store = {};  // id of the database that measured it; empty: not known
};

// Which rows to list; empty fields match everything.
struct Query {
  std::string operation = {};
  std::string implementation = {};  // full name
  std::optional<Problem> problem = {};
  std::optional<Device> device = {};
  std::optional<Policy> policy = {};
  std::string uuid = {};  // how it begins
};

// For OPERATION or OPERATION/IMPLEMENTATION; of an empty name everything.
inline Query query_for(const std::string& name) {
  Query query{.operation = name.substr(0, name.find('/'))};
  if (query.operation != name) query.implementation = name;
  return query;
}

// What a derived answer is for.
struct Subject {
  Problem problem;
  Device device;
  Policy policy;

  auto operator<=>(const Subject&) const = default;
};

// The subjects that have derived answers, for one operation and one kind of device. There may be
// thousands, so a row has only what it takes to find near ones.
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
  std::int64_t rung = 0;        // of the last answer, which is weaker than exact (Rung)
  std::int64_t last_asked = 0;  // seconds since 1970, UTC
};

}  // namespace tilewright
