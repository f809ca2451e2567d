#include "tuner/verify/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <type_traits>

#include "tuner/backend/parallel.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

using elements::Findings;
using elements::Right;
using elements::Rules;

constexpr std::int64_t kGrain = 1 << 14;

template <class T>
std::string to_digits(T value) {
  if constexpr (std::is_integral_v<T>) return fmt::format("{}", value);
  return fmt::format("{:.9g}", static_cast<double>(value));
}

template <class T>
bool is_nan(T value) {
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

std::string sum_message(const Findings& findings, const std::string& name) {
  if (findings.is_right()) return {};
  return fmt::format("the sum over {} is {:.9g}; expected {:.9g} ± {:.3g}", name, findings.got,
                     findings.expected, findings.allowed);
}

template <class T>
std::string element_message(const Findings& findings, const std::uint8_t* output,
                            const std::string& name) {
  if (findings.is_right()) return {};
  const T got = load_element<T>(output, findings.first_wrong);
  if (is_nan(got))
    return fmt::format("{}[{}] is NaN: never written, or computed so", name, findings.first_wrong);
  return fmt::format("{}[{}] is {}; expected {:.9g} ± {:.3g}", name, findings.first_wrong,
                     to_digits(got), findings.expected, findings.allowed);
}

template <class T>
OutputComparison compare_typed(const std::uint8_t* output, const PlannedBuffer& buffer,
                               const Expected& expected, const ReferencePlan& reference) {
  const Rules rules = {static_cast<double>(reference.reduction), reference.scale, reference.reduced,
                       expected.is_rounded};
  const auto count = static_cast<std::int64_t>(expected.elements.size());
  const auto right = [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    return Right{expected.elements[place], expected.values[place]};
  };
  Findings findings;
  if constexpr (!std::is_integral_v<T>)
    findings = over_ranges(buffer.count, [&](std::int64_t first, std::int64_t last) {
      return find_nan<T>(output, first, last);
    });
  std::string message;
  if (rules.reduced && findings.is_right()) {
    findings = elements::compare_sums<T>(output, right, count, rules);
    message = sum_message(findings, buffer.name);
  } else {
    if (!rules.reduced)
      findings.merge(over_ranges(count, [&](std::int64_t first, std::int64_t last) {
        return elements::compare_elements<T>(output, right, first, last, rules);
      }));
    message = element_message<T>(findings, output, buffer.name);
  }
  if (findings.wrong > 1)
    message += fmt::format(" ({} of {} compared are wrong)", findings.wrong, count);
  return {count, findings.worst_error, findings.worst_ratio, message};
}

}  // namespace

OutputComparison compare_output(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                                const Expected& expected, const ReferencePlan& rules) {
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
