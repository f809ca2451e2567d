#include "tuner/measure/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

// Once there are `enough` samples, every gate applies.
bool is_hopeless(const std::vector<Gate>& gates, const std::vector<double>& samples,
                 std::size_t enough) {
  return std::ranges::any_of(gates, [&](const Gate& gate) {
    const auto needed = std::min(static_cast<std::size_t>(std::max(gate.samples, 1)), enough);
    return samples.size() >= needed && median(samples) > gate.over_us;
  });
}

}  // namespace

int operand_sets(CachePolicy cache, std::int64_t operand_bytes, std::int64_t l2_bytes) {
  if (cache == CachePolicy::warm) return 1;
  const std::int64_t bytes = std::max<std::int64_t>(operand_bytes, 1);
  const std::int64_t fewest = 3 * std::max<std::int64_t>(l2_bytes, 0) / bytes + 1;
  return static_cast<int>(std::clamp<std::int64_t>(fewest, 2, kMaximumCalls));
}

int calls_per_sample(double call_us, double sample_us, int sets) {
  const int round = std::max(sets, 1);
  const int most_rounds = std::max(kMaximumCalls / round, 1);
  const double round_us = std::max(call_us, 1e-3) * round;
  const double rounds = std::ceil(std::max(sample_us, 0.0) / round_us);
  return round * static_cast<int>(std::clamp(rounds, 1.0, static_cast<double>(most_rounds)));
}

int calls_per_part(double call_us, double sample_us, int sets) {
  constexpr double kLongestRotation = 10;
  constexpr double kPart = 3;
  if (call_us * sets <= kLongestRotation * sample_us) return 0;
  const int calls = static_cast<int>(std::clamp(std::ceil(kPart * sample_us / call_us), 1.0, 1e6));
  return calls < sets ? calls : 0;
}

Timing take_samples(const SampleRequest& request, int calls, const std::function<double()>& run) {
  const auto at_least_one = [](int count) { return static_cast<std::size_t>(std::max(count, 1)); };
  const double call_count = std::max(calls, 1);
  const double first_us = run();
  const bool is_long = first_us / call_count > request.long_us;
  const std::size_t minimum =
      is_long ? std::min<std::size_t>(at_least_one(request.minimum_samples), kSamplesOfLongCalls)
              : at_least_one(request.minimum_samples);
  const std::size_t maximum = std::max(minimum, at_least_one(request.maximum_samples));
  const std::size_t enough = is_long ? 1 : maximum;  // samples for every gate to apply

  for (double led_us = first_us; !is_long && led_us < request.lead_in_us;)
    led_us += std::max(run(), 1.0);
  double spent_us = first_us;
  std::vector<double> samples;
  if (is_long) samples.push_back(first_us / call_count);
  while (samples.size() < maximum && !is_hopeless(request.gates, samples, enough) &&
         (samples.size() < minimum || spent_us < request.budget_us)) {
    const double sample_us = run();
    spent_us += sample_us;
    samples.push_back(sample_us / call_count);
  }
  return summarise(std::move(samples), calls, 0);
}

}  // namespace tilewright
