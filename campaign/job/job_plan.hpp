#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// One problem of a job, for one process to sweep.
struct JobUnit {
  std::string id;                        // "00012-3fa90c1b"; ids sort like the plan
  std::string name;                      // for people: "gemm M=N=K=512"
  std::vector<std::string> assignments;  // DIM=VALUE…, as on a command line
  Settings problem;                      // what they give
};

// An option of the command line, as text.
struct JobOption {
  std::string name;  // without the dashes
  std::string value;
};

// What a job measures and how. It never changes.
struct JobPlan {
  std::string id;                              // 32 hexadecimal digits; the `store` of its sweeps
  std::string target;                          // OPERATION[/IMPLEMENTATION], or a manifest's path
  std::vector<JobOption> options;              // of `sweep`
  std::vector<ImplementationKey> definitions;  // of what is swept
  std::int64_t lease_s = 120;  // so long a process may be silent before it counts as dead
  std::vector<JobUnit> units;  // those that are expected to take longest come first
};

// For the id of the unit at this place.
std::string unit_id(std::size_t place, const Settings& problem);

std::string to_text(const JobPlan& plan);

// Throws InputError that begins with `name` for a text that is no plan, or one of a newer version.
JobPlan plan_from_text(std::string_view text, const std::string& name);

// Throws InputError that names the first that is not as it was planned.
void require_planned(const JobPlan& plan, const std::vector<ImplementationKey>& definitions);

}  // namespace tilewright
