#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace tilewright::test {

// What a database says of the sweep of one problem of clock.toml, without what chance decides:
// times on the wall, and which of two twins is measured and which its duplicate.
struct ClockAnswer {
  std::size_t sweeps = 0;
  bool is_finished = false;
  bool is_own = false;
  std::size_t rows = 0;
  std::size_t distinct_rows = 0;                            // of configuration and stage
  std::map<std::string, std::multiset<std::string>> twins;  // configuration but UNUSED → outcomes
  std::map<std::string, std::size_t> configurations;        // → screened rows
  std::map<std::string, double> finals;                     // → median
  std::string winner;
};

// By problem. Fails the test if the database is damaged.
std::map<std::string, ClockAnswer> clock_answers(const std::filesystem::path& database);

// That this one was measured once, and as if nothing had disturbed it.
void expect_same(const ClockAnswer& answer, const ClockAnswer& undisturbed);

// What the variable says, else `otherwise`.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise);

}  // namespace tilewright::test
