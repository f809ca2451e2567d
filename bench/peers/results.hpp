#pragma once

#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/peers/cases/match.hpp"
#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"

namespace tilewright::bench {

// Everything that one run of the program measured, and on which machine.
struct Record {
  std::string command;
  Device device;
  Environment environment;
  CachePolicy cache = CachePolicy::cold;
  double flops_per_us = 0;                   // of multiply-adds alone
  std::map<std::int64_t, double> copies_us;  // by the floats that are read and as many written
  std::vector<Match> matches;                // those of one case are adjacent
};

// Writes Markdown: the machine and its limits, then a line for each side of a match.
void print(std::ostream& out, const Record& record);

// The same as JSON, with all samples.
nlohmann::json json_of(const Record& record);

}  // namespace tilewright::bench
