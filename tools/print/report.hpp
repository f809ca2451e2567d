#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/texts.hpp"
#include "db/records/answer_rows.hpp"
#include "definition/definition.hpp"
#include "tilewright/device.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::tools {

using tilewright::bytes_text;
using tilewright::problem_text;

// Lines of cells, each column as wide as its widest cell. Control characters in cells become
// visible.
class Table {
 public:
  // `right`: the columns that are right-aligned, from 0. An empty heading line is not printed.
  explicit Table(std::vector<std::string> headings, std::set<std::size_t> right = {})
      : rows_{std::move(headings)}, right_(std::move(right)) {}
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() <= 1; }
  std::vector<std::string> lines() const;
  void print(std::ostream& out, const std::string& indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::set<std::size_t> right_;
};

std::string time_text(double microseconds);  // "12.3 µs", "4.56 ms"
std::string duration_text(double seconds);   // "8 s", "3 min 20 s", "2 h 5 min"
std::string age_text(std::int64_t since);    // "3 hours ago", from seconds since 1970
std::string date_text(std::int64_t since);   // "2026-01-31 12:00" UTC; never throws
std::string count_text(std::int64_t count);  // "12 345"

// "1 problem", "12 345 problems"
std::string counted(std::integral auto count, const std::string& noun) {
  return count_text(static_cast<std::int64_t>(count)) + ' ' + noun + (count == 1 ? "" : "s");
}

// The useful work of one call, divided by its time; 0 if the operation does not define it.
struct Rate {
  double gflops = 0;
  double gigabytes = 0;  // per second
};
Rate rate_of(const Operation& operation, const Problem& problem, const Device& device,
             double microseconds);
// That of a stored answer, whose implementation may say what it does itself.
Rate rate_of(const Operation& operation, const BestRow& row, double microseconds);
std::string rate_text(const Rate& rate);  // "34.1 TFLOP/s"; bytes if there are no flops

// Indented. Replaces bytes that are not UTF-8, because messages of other programs may hold any, and
// escapes all control characters.
void print_json(std::ostream& out, const nlohmann::json& json);

nlohmann::json device_summary(const Device& device);  // the fields that people ask for
nlohmann::json timing_summary(
    const Timing& timing);  // with the number of samples in place of their times

}  // namespace tilewright::tools
