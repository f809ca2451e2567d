#include "tuner/sweep/contest.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tilewright/statistics.hpp"
#include "tuner/search/shuffle.hpp"

namespace tilewright {

Contest::Contest(std::vector<Contestant> contestants, const ContestRules& rules)
    : rules_(rules), random_(rules.seed) {
  for (Contestant& contestant : contestants) entries_.push_back({std::move(contestant), {}, false});
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

void Contest::take(std::size_t contestant, const Timing& timing) {
  if (timing.samples_us.size() != static_cast<std::size_t>(rules_.samples))
    throw std::logic_error("a round of a contest has another number of samples");
  Timing& sum = entries_.at(contestant).timing;
  std::vector<double> samples = std::move(sum.samples_us);
  const int rounds = samples.empty() ? 1 : sum.rounds + 1;
  samples.insert(samples.end(), timing.samples_us.begin(), timing.samples_us.end());
  sum = summarise(std::move(samples), timing.calls_per_sample, timing.sm_mhz, rounds);
}

Timing Contest::timing(std::size_t contestant) const {
  return entries_.at(contestant).timing;
}

const Contest::Entry* Contest::leader(const std::string& group) const {
  const Entry* best = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.is_out || entry.contestant.group != group || entry.timing.samples_us.empty())
      continue;
    if (best == nullptr || entry.timing.median_us < best->timing.median_us) best = &entry;
  }
  return best;
}

void Contest::drop_the_beaten() {
  if (rounds_ < rules_.rounds_before_drop) return;
  for (Entry& entry : entries_) {
    if (entry.is_out || entry.contestant.role == Contestant::Role::anchor) continue;
    const Entry* best = leader(entry.contestant.group);
    if (best == nullptr || best == &entry) continue;
    entry.is_out = ratio_of(entry.timing, best->timing).interval.low > rules_.drop_over;
  }
}

void Contest::drop_the_hopeless() {
  double fastest_us = std::numeric_limits<double>::infinity();
  for (const Entry& entry : entries_)
    if (!entry.is_out && !entry.timing.samples_us.empty())
      fastest_us = std::min(fastest_us, entry.timing.median_us);
  const double limit_us = std::max(rules_.long_us, rules_.hopeless_over * fastest_us);
  for (Entry& entry : entries_)
    if (!entry.timing.samples_us.empty() && entry.timing.median_us > limit_us) entry.is_out = true;
}

bool Contest::is_settled() const {
  if (rounds_ < rules_.minimum_rounds)
    return std::ranges::all_of(entries_, [](const Entry& entry) { return entry.is_out; });
  return std::ranges::all_of(entries_, [this](const Entry& entry) {
    const Entry* best = leader(entry.contestant.group);
    if (entry.is_out || best == nullptr || best == &entry) return true;
    const Interval interval = ratio_of(entry.timing, best->timing).interval;
    return interval.low > 1 || interval.high - interval.low < rules_.narrow;
  });
}

}  // namespace tilewright
