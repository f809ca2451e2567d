#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "bench/ladder/leave_one_out.hpp"

namespace tilewright::bench {

// The problems of one operation on one device that were left out.
struct LadderStudy {
  const Operation* operation = nullptr;
  Device device;
  std::vector<LeftOut> problems;
};

// Writes Markdown: each way of answering, the ladder at several cut-offs, then every problem.
void print_study(std::ostream& out, const LadderStudy& study);

nlohmann::json json_of(const LadderStudy& study);

}  // namespace tilewright::bench
