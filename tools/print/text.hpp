#pragma once

#include <fmt/format.h>  // with which texts are made

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "campaign/texts.hpp"
#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"
#include "definition/metric.hpp"
#include "tilewright/device.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::tools {

// How much to print; `full` is what --verbose asks for.
enum class Detail { brief, full };

using tilewright::bytes_text;
using tilewright::problem_text;

std::string time_text(double microseconds);                // "12.3 µs", "4.56 ms"
std::string interval_text(double low_us, double high_us);  // "49.5 µs to 49.8 µs"
std::string duration_text(double seconds);                 // "8 s", "3 min 20 s", "2 h 5 min"
std::string age_text(std::int64_t since);                  // "3 hours ago", from seconds since 1970
std::string date_text(std::int64_t since);                 // "2026-01-31 12:00" UTC; never throws
std::string count_text(std::int64_t count);                // "12 345"

// "1 launch", "12 345 launches"
std::string counted(std::integral auto count, const std::string& noun, const std::string& nouns) {
  return count_text(static_cast<std::int64_t>(count)) + ' ' + (count == 1 ? noun : nouns);
}
// "1 problem", "12 345 problems"
std::string counted(std::integral auto count, const std::string& noun) {
  return counted(count, noun, noun + 's');
}

// The useful work of one call, divided by its time; 0 if neither the operation nor the
// implementation defines it. Both are 0 if a formula has no result.
struct Rate {
  double gflops = 0;
  double gigabytes = 0;  // per second
};
Rate rate_of(const Operation& operation, const MeasuredCall& call);
// The call of a stored answer, or of a sweep's trial. The arguments must outlive it.
MeasuredCall call_of(const BestRow& row);
MeasuredCall call_of(const SweepRecord& record, const Trial& trial);
// "intensity 12.3 FLOP/B, waste 0.2": the operation's metrics that have a value for the call.
std::string metrics_text(const Operation& operation, const MeasuredCall& call);
std::string rate_text(const Rate& rate);  // "34.1 TFLOP/s, 1.20 TB/s": what is known

// What became of a time, or how one compares with another: "2.3x faster", "1.02x slower", "equal".
// Empty if one of the times is not known.
std::string faster_text(double before_us, double after_us);
// The same as part of a sentence: "2.3x faster than stored", "as fast as stored".
std::string faster_than_text(double before_us, double after_us, const std::string& before);

// A manifest's formula as one line shows it: brief, the beginning of a long one.
std::string formula_text(const std::string& formula, Detail detail);

// Indented. Replaces bytes that are not UTF-8, because messages of other programs may hold any, and
// escapes all control characters.
void print_json(std::ostream& out, const nlohmann::json& json);

nlohmann::json device_summary(const Device& device);  // the fields that people ask for
nlohmann::json timing_summary(
    const Timing& timing);  // with the number of samples in place of their times

}  // namespace tilewright::tools
