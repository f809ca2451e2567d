#include "tuner/sweep/contest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

// Of both, or of the one that has it.
template <class Combine>
std::optional<double> combined(const std::optional<double>& a, const std::optional<double>& b,
                               const Combine& combine) {
  return a && b ? combine(*a, *b) : a ? a : b;
}

// What the device did: its mean clock and power, highest temperature, and all reasons that held it
// down.
void add_state(Timing& sum, const Timing& before, const Timing& round) {
  const double weight = before.rounds;
  const auto mean_with = [weight](double mean, double one) {
    return (weight * mean + one) / (weight + 1);
  };
  const bool is_clock_known = before.sm_mhz > 0 && round.sm_mhz > 0;
  sum.sm_mhz = is_clock_known ? mean_with(before.sm_mhz, round.sm_mhz) : 0;
  sum.power_w = combined(before.power_w, round.power_w, mean_with);
  sum.temperature_c = combined(before.temperature_c, round.temperature_c,
                               [](double a, double b) { return std::max(a, b); });
  std::set<std::string> reasons;
  for (const Timing* one : {&before, &round}) {
    std::istringstream words(one->throttle_reasons.value_or(""));
    for (std::string word; std::getline(words, word, ',');) reasons.insert(word);
  }
  if (before.throttle_reasons || round.throttle_reasons)
    sum.throttle_reasons = fmt::format("{}", fmt::join(reasons, ","));
}

void add_round(std::optional<Timing>& sum, const std::optional<Timing>& round) {
  if (!round) return;
  if (!sum) {
    sum = round;
    return;
  }
  const Timing before = *std::exchange(sum, std::nullopt);
  std::vector<double> samples = before.samples_us;
  samples.insert(samples.end(), round->samples_us.begin(), round->samples_us.end());
  sum = summarise(std::move(samples), round->calls_per_sample, 0, before.rounds + 1);
  sum->cache = round->cache;
  add_state(*sum, before, *round);
}

}  // namespace

Contest::Contest(std::vector<Contestant> contestants, const ContestRules& rules)
    : rules_(rules), random_(rules.seed) {
  for (Contestant& contestant : contestants)
    entries_.emplace_back().contestant = std::move(contestant);
}

std::vector<std::size_t> Contest::next_round(double spent_s) {
  drop_the_hopeless();
  drop_the_beaten();
  const bool is_long_enough = rounds_ > 0 && spent_s >= rules_.time_limit_s;
  if (is_long_enough || rounds_ >= rules_.maximum_rounds || is_settled()) return {};
  ++rounds_;
  std::vector<std::size_t> round;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!entries_[i].is_out) round.push_back(i);
  shuffle(round, random_);
  return round;
}

void Contest::take(std::size_t contestant, const Trial& measured) {
  Entry& entry = entries_.at(contestant);
  for (const Timing* timing : times_of(measured))
    if (timing->samples_us.size() != static_cast<std::size_t>(rules_.samples))
      throw std::logic_error("a round of a contest has another number of samples");
  add_round(entry.timing, measured.timing);
  add_round(entry.warm_timing, measured.warm_timing);
  if (!rules_.judged) return;
  Trial sum = measured;
  give(contestant, sum);
  entry.judged = rules_.judged(std::move(sum));
  if (!entry.judged->timing) entry.is_out = true;
}

void Contest::give(std::size_t contestant, Trial& trial) const {
  trial.timing = entries_.at(contestant).timing;
  trial.warm_timing = entries_.at(contestant).warm_timing;
}

Times Contest::Entry::times() const {
  if (judged) return times_of(*judged);
  return present_times(timing, warm_timing);
}

Contest::Lead Contest::lead(const std::string& group) const {
  std::vector<const Entry*> entries;
  std::vector<Times> times, dropped;
  for (const Entry& entry : entries_) {
    if (entry.contestant.group != group || entry.times().empty()) continue;
    (entry.is_out ? dropped : times).push_back(entry.times());
    if (!entry.is_out) entries.push_back(&entry);
  }
  Lead lead{fastest_times(times, dropped)};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double ratio = behind(times[i], lead.fastest);
    if (lead.leader != nullptr && ratio >= lead.ratio) continue;
    lead.leader = entries[i];
    lead.ratio = ratio;
  }
  return lead;
}

void Contest::withdraw(std::size_t contestant) {
  Entry& entry = entries_.at(contestant);
  entry.is_out = true;
  entry.timing.reset();
  entry.warm_timing.reset();
  entry.judged.reset();
}

void Contest::drop_the_beaten() {
  if (rounds_ < rules_.rounds_before_drop) return;
  for (Entry& entry : entries_) {
    if (entry.is_out || entry.contestant.role == Contestant::Role::anchor) continue;
    const Lead best = lead(entry.contestant.group);
    if (best.leader == nullptr || best.leader == &entry) continue;
    const double limit = rules_.drop_over * best.ratio;
    entry.is_out = worst_ratio(entry.times(), best.fastest).interval.low > limit;
  }
}

void Contest::drop_the_hopeless() {
  if (rules_.judged) return;
  std::vector<double> means_us;
  double fastest_us = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Trial sum;
    give(i, sum);
    means_us.push_back(mean_time_us(sum));
    if (!entries_[i].is_out && sum.timing) fastest_us = std::min(fastest_us, means_us.back());
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (means_us[i] <= rules_.hopeless_over * fastest_us) continue;
    if (rounds_ >= rules_.rounds_before_drop || means_us[i] > rules_.long_us)
      entries_[i].is_out = true;
  }
}

bool Contest::is_settled() const {
  if (rounds_ < rules_.minimum_rounds)
    return std::ranges::all_of(entries_, [](const Entry& entry) { return entry.is_out; });
  return std::ranges::all_of(entries_, [this](const Entry& entry) {
    if (entry.is_out) return true;
    const Lead best = lead(entry.contestant.group);
    if (best.leader == nullptr || best.leader == &entry) return true;
    const Interval interval = worst_ratio(entry.times(), best.fastest).interval;
    return interval.low > best.ratio || interval.high - interval.low < rules_.narrow;
  });
}

}  // namespace tilewright
