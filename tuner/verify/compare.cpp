#include "tuner/verify/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <mutex>
#include <type_traits>

#include "tuner/backend/parallel.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

using elements::Findings;
using elements::Right;
using elements::Rules;

// Comparing fewer elements takes less time than beginning a thread.
constexpr std::int64_t kGrain = 1 << 16;

std::string to_digits(std::complex<double> value) {
  return fmt::format("{:.9g}{:+.9g}i", value.real(), value.imag());
}

template <class Value>
std::string to_digits(Value value) {
  if constexpr (std::is_integral_v<Value>) return fmt::format("{}", value);
  return fmt::format("{:.9g}", static_cast<double>(value));
}

bool is_nan(auto value) {
  return value != value;
}

// Finds the first NaN in a range of an output.
template <class T>
Findings find_nan(const std::uint8_t* output, std::int64_t first, std::int64_t last) {
  Findings findings;
  while (first < last && !is_nan(load_element<T>(output, first))) ++first;
  if (first == last) return findings;
  findings.worst_error = findings.worst_ratio = elements::kUnbounded;
  findings.first_wrong = first;
  return findings;
}

// Merges the findings of `work` in ranges of [0, count).
Findings over_ranges(std::int64_t count, const auto& work) {
  Findings all;
  std::mutex mutex;
  parallel_ranges(count, kGrain, [&](std::int64_t first, std::int64_t last) {
    const Findings part = work(first, last);
    const std::lock_guard<std::mutex> lock(mutex);
    all.merge(part);
  });
  return all;
}

std::string sum_message(const Findings& findings, const std::string& name) {
  if (findings.is_right()) return {};
  const bool is_real = findings.got.imag() == 0 && findings.expected.imag() == 0;
  const auto digits = [is_real](std::complex<double> value) {
    return is_real ? to_digits(value.real()) : to_digits(value);
  };
  return fmt::format("the sum over {} is {}; expected {} ± {:.3g}", name, digits(findings.got),
                     digits(findings.expected), findings.allowed);
}

std::string nan_message(const Findings& findings, const std::string& name) {
  return fmt::format("{}[{}] is NaN: never written, or computed so", name, findings.first_wrong);
}

// `right` gives the expected elements by their places.
template <class T>
std::string element_message(const Findings& findings, const std::uint8_t* output,
                            const std::string& name, const auto& right) {
  const T got = load_element<T>(output, findings.first_wrong);
  if (is_nan(got)) return nan_message(findings, name);
  return fmt::format("{}[{}] is {}; expected {} ± {:.3g}", name, findings.first_wrong,
                     to_digits(elements::exact_value(got)), to_digits(right(findings.place).value),
                     findings.allowed);
}

// How many were wrong, unless it is the one that is named and none may be.
std::string share_message(const Findings& findings, std::int64_t count, const Rules& rules) {
  if (rules.mismatches > 0)
    return fmt::format(" ({} of {} compared are wrong; {} may be)", findings.wrong, count,
                       elements::most_mismatches(rules, count));
  if (findings.wrong <= 1) return {};
  return fmt::format(" ({} of {} compared are wrong)", findings.wrong, count);
}

template <class T>
OutputComparison compare_to(const std::uint8_t* output, const PlannedBuffer& buffer,
                            std::int64_t count, const auto& right, const Rules& rules) {
  Findings findings;
  if constexpr (!std::is_integral_v<T>)
    findings = over_ranges(buffer.count, [&](std::int64_t first, std::int64_t last) {
      return find_nan<T>(output, first, last);
    });
  const bool has_nan = !findings.is_right();
  std::string message;
  if (has_nan) message = nan_message(findings, buffer.name);
  if (rules.reduced && !has_nan) {
    findings = elements::compare_sums<T>(output, right, count, rules);
    message = sum_message(findings, buffer.name);
  } else if (!rules.reduced) {
    findings.merge(over_ranges(count, [&](std::int64_t first, std::int64_t last) {
      return elements::compare_elements<T>(output, right, first, last, rules);
    }));
    if (has_nan)
      message += share_message(findings, count, rules);
    else if (findings.wrong > elements::most_mismatches(rules, count))
      message = element_message<T>(findings, output, buffer.name, right) +
                share_message(findings, count, rules);
  }
  return {count, findings.worst_error, findings.worst_ratio, message, findings.wrong};
}

template <class T>
OutputComparison compare_typed(const std::uint8_t* output, const PlannedBuffer& buffer,
                               const Expected& expected, const PlannedComparison& plan) {
  const bool is_rounded = !expected.rounded.empty();
  const Rules rules = {static_cast<double>(plan.reduction),
                       plan.scale,
                       plan.reduced,
                       is_rounded,
                       plan.sums,
                       plan.tolerance,
                       plan.mismatches,
                       plan.cut,
                       plan.absolute,
                       plan.relative,
                       expected.size};
  const auto count = static_cast<std::int64_t>(expected.elements.size());
  const auto compare = [&](const auto& value_of) {
    const auto right = [&](std::int64_t i) {
      return Right{expected.elements[static_cast<std::size_t>(i)], value_of(i)};
    };
    return compare_to<T>(output, buffer, count, right, rules);
  };
  if (is_rounded)
    return compare([&](std::int64_t i) {
      return elements::exact_value(load_element<T>(expected.rounded.data(), i));
    });
  if constexpr (std::is_same_v<T, typename elements::Parts<T>::Part>)
    return compare([&](std::int64_t i) { return expected.values[static_cast<std::size_t>(i)]; });
  else  // no reference computes complex numbers in float64
    return {};
}

}  // namespace

OutputComparison compare_output(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                                const Expected& expected, const PlannedComparison& rules) {
  return visit_type(buffer.type, [&]<class T>(std::type_identity<T>) {
    return compare_typed<T>(output.data(), buffer, expected, rules);
  });
}

std::optional<std::int64_t> first_damage(std::span<const std::uint8_t> guard) {
  const auto damaged = std::find_if(guard.begin(), guard.end(),
                                    [](std::uint8_t byte) { return byte != kGuardByte; });
  if (damaged == guard.end()) return std::nullopt;
  return damaged - guard.begin();
}

}  // namespace tilewright
