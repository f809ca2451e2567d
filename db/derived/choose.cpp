#include "db/derived/choose.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <tuple>

#include "tilewright/statistics.hpp"

namespace tilewright {

namespace {

constexpr double kAlwaysTies = 1.002;
constexpr double kMostOfATie = 1.01;

// The index of one measurement for each configuration: the slowest one, because a lucky repetition
// must not decide.
using Pool = std::map<Configuration, std::size_t>;

Pool measurements(const std::vector<Trial>& trials, Stage stage) {
  const auto order = [&trials](std::size_t i) {
    const Timing& timing = *trials[i].timing;
    return std::tie(timing.median_us, timing.upper_us, timing.minimum_us, timing.samples_us);
  };
  Pool pool;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    if (trial.outcome != Outcome::measured || !trial.timing || trial.stage != stage) continue;
    const auto [at, is_new] = pool.emplace(trial.configuration, i);
    if (!is_new && order(i) > order(at->second)) at->second = i;
  }
  return pool;
}

void drop_failed_finalists(Pool& screened, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials)
    if (trial.stage == Stage::final && trial.outcome != Outcome::measured)
      screened.erase(trial.configuration);
}

std::optional<std::size_t> fastest(const std::vector<Trial>& trials, const Pool& pool) {
  std::optional<std::size_t> best;
  for (const auto& [configuration, i] : pool) {
    if (!best || trials[i].timing->median_us < trials[*best].timing->median_us) best = i;
  }
  return best;
}

// The finalists that were measured to the last round.
Pool without_the_beaten(const Pool& finals, const std::vector<Trial>& trials) {
  int most = 0;
  for (const auto& [configuration, i] : finals) most = std::max(most, trials[i].timing->rounds);
  Pool lasting = finals;
  std::erase_if(lasting,
                [&](const auto& item) { return trials[item.second].timing->rounds < most; });
  return lasting;
}

// Less is better; unknown costs come last.
std::tuple<std::int64_t, std::int64_t> cost(const Trial& trial) {
  constexpr auto kUnknown = std::numeric_limits<std::int64_t>::max();
  const Resources resources = trial.resources.value_or(Resources{});
  return {resources.registers < 0 ? kUnknown : resources.registers,
          resources.shared_bytes < 0 ? kUnknown : resources.shared_bytes};
}

// The trial with the least ratio to the winner, other than the winner.
std::optional<std::size_t> nearest(const std::vector<Trial>& trials, const Pool& pool,
                                   std::size_t winner) {
  std::optional<std::size_t> best;
  double least = 0;
  for (const auto& [configuration, i] : pool) {
    if (i == winner) continue;
    const double ratio = ratio_of(*trials[i].timing, *trials[winner].timing).value;
    if (best && ratio >= least) continue;
    best = i;
    least = ratio;
  }
  return best;
}

}  // namespace

bool ties(const Timing& timing, const Timing& best) {
  const Ratio ratio = ratio_of(timing, best);
  return ratio.value <= kAlwaysTies || (ratio.interval.low <= 1 && ratio.value <= kMostOfATie);
}

std::optional<Winner> choose(const std::vector<Trial>& trials,
                             const Configuration& default_configuration) {
  Pool screened = measurements(trials, Stage::screen);
  drop_failed_finalists(screened, trials);
  const Pool finals = measurements(trials, Stage::final);
  const Pool pool = finals.empty() ? screened : without_the_beaten(finals, trials);
  const auto best = fastest(trials, pool);
  if (!best) return std::nullopt;

  std::vector<std::size_t> tied;  // in the order of their configurations
  for (const auto& [configuration, i] : pool)
    if (ties(*trials[i].timing, *trials[*best].timing)) tied.push_back(i);
  const auto preference = [&](std::size_t i) {
    const bool is_default = trials[i].configuration == default_configuration;
    return std::tuple_cat(std::make_tuple(is_default ? 0 : 1), cost(trials[i]));
  };

  Winner winner;
  winner.winner = *std::min_element(tied.begin(), tied.end(), [&](std::size_t a, std::size_t b) {
    return preference(a) < preference(b);
  });
  winner.tie = tied.size() > 1;
  winner.runner_up = nearest(trials, finals.empty() ? screened : finals, winner.winner);
  for (const Pool* stage : std::initializer_list<const Pool*>{&screened, &finals})
    if (const auto at = stage->find(default_configuration); at != stage->end())
      winner.default_trial = at->second;
  Pool all = screened;
  all.insert(finals.begin(), finals.end());
  winner.measured = all.size();
  return winner;
}

}  // namespace tilewright
