#include "tools/print/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>

#include "definition/fields.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "definition/text/escape.hpp"

namespace tilewright::tools {
namespace {

// Counts characters, not bytes: all bytes except UTF-8's continuation bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = visible_line(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    if (row.empty()) continue;
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += right_.contains(i) ? space + row[i] : row[i] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

void Table::print(std::ostream& out, const std::string& indent) const {
  for (const std::string& line : lines()) out << indent << line << '\n';
}

std::string time_text(double microseconds) {
  if (microseconds < 1000) return three_digits(microseconds) + " µs";
  if (microseconds < 1e6) return three_digits(microseconds / 1e3) + " ms";
  return three_digits(microseconds / 1e6) + " s";
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string age_text(std::int64_t since) {
  if (since < 0) return "at an unknown time";
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now).count() - since;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return counted(seconds / 60, "minute") + " ago";
  if (seconds < 86400) return counted(seconds / 3600, "hour") + " ago";
  return counted(seconds / 86400, "day") + " ago";
}

std::string date_text(std::int64_t since) {
  constexpr std::int64_t last = 253'402'300'799;  // of the year 9999
  if (since < 0 || since > last) return "an unknown date";
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(since)));
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t start = count < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > start + 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

namespace {

Rate rate_in(const Expression& flops, const Expression& bytes, const Scope& scope,
             double microseconds) {
  if (microseconds <= 0) return {};
  try {
    return {static_cast<double>(flops.evaluate(scope)) / microseconds / 1e3,
            static_cast<double>(bytes.evaluate(scope)) / microseconds / 1e3};
  } catch (const ExpressionError&) {  // a stored problem of older definitions
    return {};
  }
}

}  // namespace

Rate rate_of(const Operation& operation, const Problem& problem, const Device& device,
             double microseconds) {
  const Configuration none;
  return rate_in(operation.flops, operation.bytes, full_scope(problem, none, device), microseconds);
}

Rate rate_of(const Operation& operation, const BestRow& row, double microseconds) {
  const auto found = operation.own_work.find(row.implementation);
  const OwnWork own = found == operation.own_work.end() ? OwnWork{} : found->second;
  return rate_in(own.flops.value_or(operation.flops), own.bytes.value_or(operation.bytes),
                 full_scope(row.problem, row.configuration, row.device), microseconds);
}

std::string rate_text(const Rate& rate) {
  if (rate.gflops >= 1000) return three_digits(rate.gflops / 1000) + " TFLOP/s";
  if (rate.gflops > 0) return three_digits(rate.gflops) + " GFLOP/s";
  if (rate.gigabytes > 0) return three_digits(rate.gigabytes) + " GB/s";
  return "";
}

void print_json(std::ostream& out, const nlohmann::json& json) {
  out << visible_json(json_text(json, 2)) << '\n';
}

nlohmann::json device_summary(const Device& device) {
  nlohmann::json json = to_json(device);
  for (const DeviceField& field : kDeviceFields)
    if (!field.in_reports) json.erase(field.name);
  return json;
}

nlohmann::json timing_summary(const Timing& timing) {
  nlohmann::json json = to_json(timing);
  json.erase("samples_us");
  json["samples"] = timing.samples_us.size();
  return json;
}

}  // namespace tilewright::tools
