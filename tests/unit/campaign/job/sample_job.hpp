#pragma once

#include <cstddef>
#include <string>

#include "campaign/job/job.hpp"

namespace tilewright::test {

inline constexpr const char* kJobFolder = "/jobs/a";  // in MemoryFiles

// 32 digits that end with the number.
inline std::string id_of(int number) {
  std::string id = std::to_string(number);
  return std::string(32 - id.size(), '0') + id;
}

inline JobPlan sample_plan(std::size_t units) {
  JobPlan plan;
  plan.id = id_of(77);
  plan.target = "gemm/tiled";
  plan.options = {{"budget", "20"}, {"where", "BLOCK_X >= 16"}};
  plan.definitions = {{"gemm/tiled", 2, "source", "space", {{{"BLOCK_X", Value(16)}}}}};
  plan.lease_s = 60;
  for (std::size_t i = 0; i < units; ++i) {
    const Settings problem = {{"M", Value(static_cast<std::int64_t>(1000 - i))}};
    const std::string word = "M=" + std::to_string(1000 - i);
    plan.units.push_back({unit_id(i, problem), "gemm " + word, {word}, problem});
  }
  return plan;
}

}  // namespace tilewright::test
