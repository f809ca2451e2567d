#include "tools/print/text.hpp"

#include <fmt/chrono.h>

#include <chrono>
#include <cmath>
#include <ostream>

#include "definition/fields.hpp"
#include "definition/json/border.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
std::string time_text(double microseconds) {
  if (microseconds < 1000) return three_digits(microseconds) + " µs";
  if (microseconds < 1e6) return three_digits(microseconds / 1e3) + " ms";
  return three_digits(microseconds / 1e6) + " s";
}

std::string interval_text(double low_us, double high_us) {
  return fmt::format("{} to {}", time_text(low_us), time_text(high_us));
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

// What is imported without a date has one of 1970.
constexpr std::int64_t kFirstMoment = 86'400;

std::string age_text(std::int64_t since) {
  if (since < kFirstMoment) return "at an unknown time";
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now).count() - since;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return counted(seconds / 60, "minute") + " ago";
  if (seconds < 86400) return counted(seconds / 3600, "hour") + " ago";
  return counted(seconds / 86400, "day") + " ago";
}

std::string date_text(std::int64_t since) {
  if (since < kFirstMoment || since > kLastMoment) return "an unknown date";
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(since)));
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t start = count < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > start + 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

Rate rate_of(const Operation& operation, const MeasuredCall& call) {
  if (call.microseconds <= 0) return {};
  const auto flops = flops_of(operation, call);
  const auto bytes = bytes_of(operation, call);
  if (!flops || !bytes) return {};
  return {static_cast<double>(*flops) / call.microseconds / 1e3,
          static_cast<double>(*bytes) / call.microseconds / 1e3};
}

MeasuredCall call_of(const BestRow& row) {
  const double us = median_of(row.trial);
  return {row.problem, row.implementation, row.configuration, row.device, us};
}

MeasuredCall call_of(const SweepRecord& record, const Trial& trial) {
  const double us = median_of(trial);
  return {record.key.problem, trial.implementation, trial.configuration, record.key.device, us};
}

std::string metrics_text(const Operation& operation, const MeasuredCall& call) {
  std::string text;
  for (const Metric& metric : operation.metrics) {
    const auto value = value_of(metric, operation, call);
    if (!value) continue;
    text += fmt::format("{}{} {:.4g}{}{}", text.empty() ? "" : ", ", metric.name, *value,
                        metric.unit.empty() ? "" : " ", metric.unit);
  }
  return text;
}

std::string rate_text(const Rate& rate) {
  const auto scaled = [](double giga, const char* unit) {
    return three_digits(giga >= 1000 ? giga / 1000 : giga) + (giga >= 1000 ? " T" : " G") + unit;
  };
  std::string text = rate.gflops > 0 ? scaled(rate.gflops, "FLOP/s") : "";
  if (rate.gigabytes > 0) text += (text.empty() ? "" : ", ") + scaled(rate.gigabytes, "B/s");
  return text;
}

std::string formula_text(const std::string& formula, Detail detail) {
  constexpr std::size_t most = 120;
  if (detail == Detail::full || formula.size() <= most) return formula;
  return formula.substr(0, formula.rfind(' ', most)) + " ...";
}

std::string faster_text(double before_us, double after_us) {
  if (before_us <= 0 || after_us <= 0) return "";
  const bool is_faster = before_us >= after_us;
  const double ratio = is_faster ? before_us / after_us : after_us / before_us;
  if (ratio < 1.005) return "equal";  // is written 1.00x otherwise
  return fmt::format("{:.{}f}x {}", ratio,
                     ratio < 1.1   ? 2
                     : ratio < 100 ? 1
                                   : 0,
                     is_faster ? "faster" : "slower");
}

std::string faster_than_text(double before_us, double after_us, const std::string& before) {
  const std::string faster = faster_text(before_us, after_us);
  if (faster.empty()) return "";
  return faster == "equal" ? "as fast as " + before : faster + " than " + before;
}

void print_json(std::ostream& out, const nlohmann::json& json) {
  write_as_is(out, visible_json(json_text(json, 2)) + '\n');
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
