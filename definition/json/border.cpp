#include "definition/json/border.hpp"

#include <cmath>
#include <optional>
#include <type_traits>

#include "definition/fields.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {
namespace {

constexpr double kColdest = -273.15;  // °C

constexpr std::int64_t kMostCounted = kMostOfADevice;  // registers, bytes, outputs, rounds

// Medians and quartiles are interpolated, so the last digit of one may pass its neighbour.
bool is_ordered(double less, double more) {
  return less <= more * (1 + 1e-9);
}

void require_in_interval(const char* low_field, double low, const char* high_field, double high,
                         double median) {
  if (!is_ordered(low, median) || !is_ordered(median, high))
    throw bad_input("'{}' is {} and '{}' is {}; the median, {}, must lie between them", low_field,
                    low, high_field, high, median);
}

}  // namespace

bool is_possible_time(double microseconds) {
  return microseconds >= kShortestTime && microseconds <= kLongestTime;
}

void require_possible_time(const char* field, double microseconds) {
  if (!is_possible_time(microseconds))
    throw bad_input("'{}' is {}, not a time from {} to {} µs", field, microseconds, kShortestTime,
                    kLongestTime);
}

void require_possible_moment(const char* field, std::int64_t seconds) {
  if (seconds < 0 || seconds > kLastMoment)
    throw bad_input(
        "'{}' is {}, not a moment from 0 to {} (seconds since 1970, to the end of the year 9999)",
        field, seconds, kLastMoment);
}

void require_in_range(const char* field, std::int64_t value, std::int64_t least,
                      std::int64_t most) {
  if (value < least || value > most)
    throw bad_input("'{}' is {}, outside {} to {}", field, value, least, most);
}

void require_finite(const char* field, double value, double least) {
  if (!std::isfinite(value) || value < least)
    throw bad_input("'{}' is {}, not a finite number from {}", field, value, least);
}

void require_possible(const Settings& problem) {
  for (const auto& [name, value] : problem)
    if (const auto* number = std::get_if<std::int64_t>(&value))
      require_in_range(name.c_str(), *number, -kLargestSize, kLargestSize);
}

void require_possible(const Device& device) {
  for_each_field(device, []<class Field>(const char* name, const Field& value) {
    if constexpr (std::is_same_v<Field, DeviceField::Triple>)
      for (const std::int64_t size : value) require_in_range(name, size, 0, kMostOfADevice);
    else if constexpr (std::is_integral_v<Field>)
      require_in_range(name, value, 0, kMostOfADevice);
  });
}

void require_possible(const Environment& environment) {
  if (environment.power_limit_w)
    require_in_range("power_limit_w", *environment.power_limit_w, 1, kMostWatts);
}

void require_samples(const Timing& timing) {
  for (const double sample : timing.samples_us) require_possible_time("samples_us", sample);
  const auto count = static_cast<std::int64_t>(timing.samples_us.size());
  if (timing.rounds > count)
    throw bad_input("'samples_us' has {} samples for {} rounds; each round has at least one", count,
                    timing.rounds);
}

// -1 stands for not known.
void require_possible(const Resources& resources) {
  for_each_field(resources, []<class Field>(const char* name, const Field& value) {
    if constexpr (std::is_floating_point_v<Field>)
      require_finite(name, value, -1);
    else
      require_in_range(name, value, -1, kMostCounted);
  });
}

// Wrong answers may be infinite, or not numbers.
void require_possible(const Verification& verification) {
  require_in_range("outputs_checked", verification.outputs_checked, 0, kMostCounted);
  require_in_range("outputs_total", verification.outputs_total, 0, kMostCounted);
  for (const double worst : {verification.worst_error, verification.worst_ratio})
    if (worst < 0) throw bad_input("'worst_error' or 'worst_ratio' is {}, below 0", worst);
}

void require_possible(const Timing& timing) {
  for_each_field(timing, []<class Field>(const char* name, const Field& value) {
    const std::string_view field = name;
    if constexpr (std::is_same_v<Field, double>) {
      if (field.ends_with("_us"))
        require_possible_time(name, value);
      else
        require_finite(name, value);
    } else if constexpr (std::is_integral_v<Field>) {
      require_in_range(name, value, field == "rounds" ? 1 : 0, kMostCounted);
    } else if constexpr (std::is_same_v<Field, std::optional<double>>) {
      if (value) require_finite(name, *value, field == "temperature_c" ? kColdest : 0);
    }
  });
  require_in_interval("interval_low_us", timing.interval_low_us, "interval_high_us",
                      timing.interval_high_us, timing.median_us);
  require_in_interval("lower_us", timing.lower_us, "upper_us", timing.upper_us, timing.median_us);
  if (!is_ordered(timing.minimum_us, timing.median_us))
    throw bad_input("'minimum_us' is {}, above the median of {}", timing.minimum_us,
                    timing.median_us);
}

void require_possible(const Trial& trial) {
  require_finite("compile_ms", trial.compile_ms);
  if (trial.ended_s) require_finite("ended_s", *trial.ended_s);
  if (trial.resources) require_possible(*trial.resources);
  if (trial.verification) require_possible(*trial.verification);
  for (const auto* timing : {&trial.timing, &trial.warm_timing}) {
    if (!*timing) continue;
    require_possible(**timing);
    require_samples(**timing);
  }
}

}  // namespace tilewright
