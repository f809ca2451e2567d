#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/foreign/record.hpp"

namespace tilewright {

// Collects a record's trials, each configuration once.
class TrialCollector {
 public:
  // `record` must outlive it, and its kernel be set.
  explicit TrialCollector(Record& record) : record_(record) {}

  // No time: the configuration failed, and `why` is what the other tuner says.
  void add(Configuration configuration, std::optional<double> time_ms, const std::string& why);

 private:
  Record& record_;
  std::set<Configuration> seen_;
};

// A parameter's value. Numbers that are equal are one value: 32.0 is 32.
Value value_of(const nlohmann::json& json);

// Nothing for what is no positive number.
std::optional<double> time_in(const nlohmann::json& json);

// The text of a key. Empty if it is absent or no text.
std::string text_at(const nlohmann::json& json, const char* key);

// The sizes in a number, a text of digits, or a list of these. Empty if one of them is none of
// these, such as an expression.
std::vector<std::int64_t> sizes_in(const nlohmann::json& json);

// The record in a document of a format other than wisdom. Throws InputError for any other document.
Record read_document(const nlohmann::json& document);

// The records of a wisdom file of Kernel Launcher, one for each device and problem size. Nothing if
// the first line is not that of such a file. Throws InputError for a line that cannot be read,
// except for the last, because the file then ends early.
std::optional<std::vector<Record>> read_wisdom(std::string_view text);

// The text with NaN, Infinity and -Infinity, which Python writes, as strings: JSON lacks them.
std::string with_quoted_numbers(std::string text);

// Parses a document whose writer was killed. The writer appends, so the end is missing. Cuts the
// text after the last complete entry, which has at most two brackets around it, and closes those.
std::optional<nlohmann::json> parse_what_is_whole(const std::string& text);

}  // namespace tilewright
