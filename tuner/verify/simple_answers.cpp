#include "tuner/verify/checked_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

using Kind = SimpleAnswer::Kind;

constexpr std::size_t kHundred = 100;

template <class T>
T right_element(const Expected& expected, std::size_t i) {
  if (!expected.rounded.empty())
    return load_element<T>(expected.rounded.data(), static_cast<std::int64_t>(i));
  if constexpr (std::is_integral_v<T>)
    return elements::to_element<T>(std::nearbyint(expected.values[i]));
  else if constexpr (std::is_same_v<T, typename elements::Parts<T>::Part>)
    return static_cast<T>(expected.values[i]);
  else  // no reference computes complex numbers in float64
    return T();
}

template <class T>
T without_term(T right, double reduction) {
  const double part = 1 / std::max(reduction, 1.0);
  if constexpr (std::is_integral_v<T>) {
    if (right == 0) return T(1);
    const T term = elements::to_element<T>(std::abs(static_cast<double>(right)) * part);
    const T least = std::max(term, T(1));
    return static_cast<T>(right > 0 ? right - least : right + least);
  } else {
    return static_cast<T>(elements::exact_value(right) * (1 - part));
  }
}

template <class T>
T scaled(T right) {
  constexpr double kMost = 0.01;
  if constexpr (std::is_integral_v<T>) {
    const auto step = static_cast<T>(right / T(kHundred));
    const bool is_over = step > 0 ? right > std::numeric_limits<T>::max() - step
                                  : right < std::numeric_limits<T>::lowest() - step;
    return is_over ? right : static_cast<T>(right + step);
  } else {
    if (elements::machine_epsilon<T>() > kMost) return right;
    return static_cast<T>(elements::exact_value(right) * (1 + kMost));
  }
}

bool may_be_copied(const PlannedBuffer& input, const PlannedBuffer& output) {
  return input.kind == ArgumentKind::buffer && input.role != ArgumentRole::output &&
         input.type == output.type && input.count == output.count;
}

}  // namespace

void add_simple_answers(std::size_t problem, const std::vector<PlannedBuffer>& buffers,
                        const ArgumentData& data, const Expected& expected,
                        const PlannedComparison& rules, std::vector<SimpleAnswer>& all) {
  if (rules.mismatches >= 1) return;
  const PlannedBuffer& output = buffers[static_cast<std::size_t>(expected.argument)];
  // The compared elements alone, as an output that has no others.
  const std::vector<std::int64_t>& places = expected.elements;
  Expected alone = expected;
  std::iota(alone.elements.begin(), alone.elements.end(), std::int64_t{0});
  PlannedBuffer output_alone = output;
  output_alone.count = static_cast<std::int64_t>(places.size());
  visit_type(output.type, [&]<class T>(std::type_identity<T>) {
    // `altered(right, i)` is the simple answer's element in place of the i-th that is compared.
    const auto add = [&](Kind kind, const std::string& input, const auto& altered) {
      SimpleAnswer answer{.problem = problem, .output = output.name, .kind = kind, .input = input};
      std::vector<std::uint8_t> bytes(places.size() * sizeof(T));
      for (std::size_t i = 0; i < places.size(); ++i) {
        const T right = right_element<T>(expected, i);
        const T element = altered(right, i);
        if (!(element == right)) ++answer.altered;
        store_element(bytes.data(), static_cast<std::int64_t>(i), element);
      }
      const OutputComparison found = compare_output(bytes, output_alone, alone, rules);
      answer.passes = found.message.empty();
      answer.told = rules.reduced && !answer.passes ? answer.altered : found.wrong;
      all.push_back(std::move(answer));
    };
    add(Kind::zeros, "", [](T, std::size_t) { return T{}; });
    for (std::size_t input = 0; input < buffers.size(); ++input)
      if (may_be_copied(buffers[input], output))
        add(Kind::input, buffers[input].name,
            [&](T, std::size_t i) { return load_element<T>(data[input].data(), places[i]); });
    add(Kind::missing_term, "", [&](T right, std::size_t i) {
      return i % kHundred == 0 ? without_term(right, static_cast<double>(rules.reduction)) : right;
    });
    add(Kind::scaled, "", [](T right, std::size_t) { return scaled(right); });
  });
}

}  // namespace tilewright
