// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

#include "tuner/verify/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>

#include "tuner/verify/elements.hpp"
#include "tuner/verify/parallel.hpp"

namespace tilewright {
namespace {

// Stands for an error without bound, because JSON has no infinity.
constexpr double kUnbounded = std::numeric_limits<double>::max();

constexpr std::int64_t kGrain = 1 << 14;

template <class T>
constexpr double machine_epsilon() {
  return std::is_floating_point_v<T> ? static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
}

// One comparison: right if error ≤ allowed.
struct Difference {
  double error = 0;
  double allowed = 0;
  bool is_wrong() const { return !(error <= allowed); }
  double ratio() const {
    if (error == 0) return 0;
    return allowed > 0 ? std::min(error / allowed, kUnbounded) : kUnbounded;
  }
};

Difference difference(double got, double expected, double epsilon, const ReferencePlan& rules) {
  Difference result;
  result.allowed =
      rules.scale * epsilon * (static_cast<double>(rules.reduction) + 4 * std::abs(expected));
  const bool both_infinite = std::isinf(expected) && got == expected;
  result.error = both_infinite ? 0 : std::abs(got - expected);
  if (!std::isfinite(result.error)) result.error = kUnbounded;
  if (!std::isfinite(result.allowed)) result.allowed = 0;
  return result;
}

template <class T>
std::string to_digits(T value) {
  if constexpr (std::is_floating_point_v<T>) return fmt::format("{:.9g}", value);
  return fmt::format("{}", value);
}

// What a part of the output showed; parts merge in any order to the same whole.
struct Findings {
  double worst_error = 0;
  double worst_ratio = 0;
  std::int64_t wrong = 0;
  std::int64_t first_wrong = std::numeric_limits<std::int64_t>::max();
  std::string message;  // about first_wrong

  void merge(const Findings& other) {
    worst_error = std::max(worst_error, other.worst_error);
    worst_ratio = std::max(worst_ratio, other.worst_ratio);
    wrong += other.wrong;
    if (other.first_wrong < first_wrong) {
      first_wrong = other.first_wrong;
      message = other.message;
    }
  }
};

// The first NaN among all `count` elements.
template <class T>
Findings find_nan(const std::uint8_t* output, const std::string& name, std::int64_t first,
                  std::int64_t last) {
  Findings findings;
  for (std::int64_t i = first; i < last; ++i) {
    if (!std::isnan(load_element<T>(output, i))) continue;
    findings.worst_error = findings.worst_ratio = kUnbounded;
    findings.first_wrong = i;
    findings.message = fmt::format("{}[{}] is NaN: never written, or computed so", name, i);
    break;
  }
  return findings;
}

template <class T>
Findings compare_elements(const std::uint8_t* output, const std::string& name,
                          const Expected& expected, const ReferencePlan& rules, std::int64_t first,
                          std::int64_t last) {
  Findings findings;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t element = expected.elements[static_cast<std::size_t>(i)];
    const double right = expected.values[static_cast<std::size_t>(i)];
    const T got = load_element<T>(output, element);
    const Difference diff =
        difference(static_cast<double>(got), right, machine_epsilon<T>(), rules);
    findings.worst_error = std::max(findings.worst_error, diff.error);
    findings.worst_ratio = std::max(findings.worst_ratio, diff.ratio());
    if (!diff.is_wrong()) continue;
    if (findings.wrong++ > 0) continue;
    findings.first_wrong = element;
    findings.message = fmt::format("{}[{}] is {}; expected {:.9g} ± {:.3g}", name, element,
                                   to_digits(got), right, diff.allowed);
  }
  return findings;
}

template <class T>
Findings compare_sums(const std::uint8_t* output, const std::string& name, const Expected& expected,
                      const ReferencePlan& rules) {
  double got = 0;
  double right = 0;
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    got += static_cast<double>(load_element<T>(output, expected.elements[i]));
    right += expected.values[i];
  }
  const Difference diff = difference(got, right, machine_epsilon<T>(), rules);
  Findings findings{diff.error, diff.ratio(), 0, 0, ""};
  if (diff.is_wrong()) {
    findings.wrong = 1;
    findings.message = fmt::format("the sum over {} is {:.9g}; expected {:.9g} ± {:.3g}", name, got,
                                   right, diff.allowed);
  }
  return findings;
}

// Merges what `work` finds in ranges of [0, count).
template <class Work>
Findings over_ranges(std::int64_t count, const Work& work) {
  Findings all;
  std::mutex mutex;
  parallel_ranges(count, kGrain, [&](std::int64_t first, std::int64_t last) {
    const Findings part = work(first, last);
    const std::lock_guard<std::mutex> lock(mutex);
    all.merge(part);
  });
  return all;
}

template <class T>
Findings compare_typed(const std::uint8_t* output, const PlannedBuffer& buffer,
                       const Expected& expected, const ReferencePlan& rules) {
  Findings findings;
  if constexpr (std::is_floating_point_v<T>)
    findings = over_ranges(buffer.count, [&](std::int64_t first, std::int64_t last) {
      return find_nan<T>(output, buffer.name, first, last);
    });
  if (rules.reduced) {
    if (findings.message.empty()) findings = compare_sums<T>(output, buffer.name, expected, rules);
    return findings;
  }
  const auto count = static_cast<std::int64_t>(expected.elements.size());
  findings.merge(over_ranges(count, [&](std::int64_t first, std::int64_t last) {
    return compare_elements<T>(output, buffer.name, expected, rules, first, last);
  }));
  return findings;
}

}  // namespace

OutputComparison compare_output(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                                const Expected& expected, const ReferencePlan& rules) {
  const Findings findings = visit_type(buffer.type, [&]<class T>(std::type_identity<T>) {
    return compare_typed<T>(output.data(), buffer, expected, rules);
  });
  OutputComparison comparison;
  comparison.checked = static_cast<std::int64_t>(expected.elements.size());
  comparison.worst_error = findings.worst_error;
  comparison.worst_ratio = findings.worst_ratio;
  comparison.message = findings.message;
  if (findings.wrong > 1)
    comparison.message +=
        fmt::format(" ({} of {} compared are wrong)", findings.wrong, comparison.checked);
  return comparison;
}

std::optional<std::int64_t> first_damage(std::span<const std::uint8_t> guard) {
  const auto damaged = std::find_if(guard.begin(), guard.end(),
                                    [](std::uint8_t byte) { return byte != kGuardByte; });
  if (damaged == guard.end()) return std::nullopt;
  return damaged - guard.begin();
}

}  // namespace tilewright
