#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "tuner/foreign/formats.hpp"

namespace tilewright {
namespace {

constexpr const char* kParameters = "tunable_parameters";

struct Line {
  std::size_t number = 0;
  std::string_view text;
};

// Those that are neither empty nor comments.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#' || line.substr(first, 2) == "//")
      continue;
    lines.push_back({number, line});
  }
  return lines;
}

// Lines with results, by device and problem size.
using Groups =
    std::map<std::pair<std::string, std::vector<std::int64_t>>, std::vector<nlohmann::json>>;

std::string device_in(const nlohmann::json& line) {
  return text_at(line.value("environment", nlohmann::json::object()), "device_name");
}

// Whether all lines are whole.
bool read_lines(const std::vector<Line>& lines, Groups& groups) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    nlohmann::json line = parse_sorted(lines[i].text);
    if (line.is_object()) {
      auto key = std::pair(device_in(line), sizes_in(line.value("problem_size", nlohmann::json())));
      if (key.second.empty() && line.contains("problem_size"))
        throw bad_input("line {}: its 'problem_size' is not one of whole numbers", lines[i].number);
      groups[std::move(key)].push_back(std::move(line));
    } else if (i + 1 < lines.size()) {
      throw bad_input("line {} is no JSON object", lines[i].number);
    } else {
      return false;
    }
  }
  return true;
}

void add_line(const nlohmann::json& line, const std::vector<std::string>& parameters,
              TrialCollector& trials) {
  const nlohmann::json& values = line.at("config");
  if (!values.is_array() || values.size() != parameters.size())
    throw bad_input("'config' of a line must have {} values, as {} has", parameters.size(),
                    kParameters);
  Configuration configuration;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    configuration.values[parameters[i]] = value_of(values[i]);
  trials.add(std::move(configuration), time_in(line.at("time")), "");
}

std::vector<Record> records_of(const nlohmann::json& header, const std::vector<Line>& lines) {
  const auto parameters = header.at(kParameters).get<std::vector<std::string>>();
  Groups groups;
  const bool is_complete = read_lines(lines, groups);
  std::vector<Record> records;
  for (const auto& [key, results] : groups) {
    Record record;
    record.kernel = text_at(header, "key");
    std::tie(record.device, record.problem_size) = key;
    record.is_complete = is_complete;
    TrialCollector trials(record);
    for (const nlohmann::json& line : results) add_line(line, parameters, trials);
    records.push_back(std::move(record));
  }
  if (records.empty()) throw InputError("has no results after its first line");
  return records;
}

}  // namespace

std::optional<std::vector<Record>> read_wisdom(std::string_view text) {
  const std::vector<Line> lines = lines_of(text);
  if (lines.empty()) return std::nullopt;
  const nlohmann::json header = parse_sorted(lines.front().text);
  if (!header.is_object() || !header.contains(kParameters)) return std::nullopt;
  try {
    return records_of(header, lines);
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("as a wisdom file of Kernel Launcher: {}", error.what());
  }
}

}  // namespace tilewright
