#include "db/derived/choose.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "definition/json/codec.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright {

namespace {

constexpr double kAlwaysTies = 1.002;
constexpr double kSameClock = 1.01;
constexpr double kSameCycles = 1.005;

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

// The least time of each policy among those in `lasting`, or else in `all`, whoever has it.
Times fastest(const std::vector<Trial>& trials, const Pool& lasting, const Pool& all) {
  std::vector<Times> times, dropped;
  for (const auto& [configuration, i] : lasting) times.push_back(times_of(trials[i]));
  for (const auto& [configuration, i] : all)
    if (!lasting.contains(configuration)) dropped.push_back(times_of(trials[i]));
  return fastest_times(times, dropped);
}

// The one that is least behind the fastest.
std::size_t least_behind(const std::vector<Trial>& trials, const Pool& pool,
                         const Times& fastest_of_all) {
  return std::ranges::min_element(pool, {},
                                  [&](const auto& item) {
                                    return behind(times_of(trials[item.second]), fastest_of_all);
                                  })
      ->second;
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

// A number that is proportional to the clock cycles of a call; 0 if a clock is not known.
double cycles_of(const Trial& trial) {
  const double mhz = trial.timing->sm_mhz;
  return mean_time_us(trial) *
         (trial.warm_timing ? std::sqrt(mhz * trial.warm_timing->sm_mhz) : mhz);
}

// Without those that take more cycles than another, on a clock that is held down. They take no
// longer only because they draw less power, which leaves them a higher clock. Where the device has
// power to spare, they take longer.
std::vector<std::size_t> with_fewest_cycles(const std::vector<Trial>& trials,
                                            std::vector<std::size_t> tied) {
  double highest_mhz = 0;
  for (const Trial& trial : trials)
    if (trial.timing) highest_mhz = std::max(highest_mhz, trial.timing->sm_mhz);
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : tied) least = std::min(least, cycles_of(trials[i]));
  if (least <= 0) return tied;
  std::erase_if(tied, [&](std::size_t i) {
    const bool is_held_down = kSameClock * trials[i].timing->sm_mhz < highest_mhz;
    return is_held_down && cycles_of(trials[i]) > kSameCycles * least;
  });
  return tied;
}

// The trial with the least ratio to the winner, other than the winner.
std::optional<std::size_t> nearest(const std::vector<Trial>& trials, const Pool& pool,
                                   std::size_t winner) {
  std::optional<std::size_t> best;
  double least = 0;
  for (const auto& [configuration, i] : pool) {
    if (i == winner) continue;
    const double ratio = worst_ratio(times_of(trials[i]), times_of(trials[winner])).value;
    if (best && ratio >= least) continue;
    best = i;
    least = ratio;
  }
  return best;
}

// The ratio to the fastest, relative to the best one's.
Ratio behind_best(const Times& times, const Times& fastest_of_all, double best_ratio) {
  const Ratio ratio = worst_ratio(times, fastest_of_all);
  return {ratio.value / best_ratio,
          {ratio.interval.low / best_ratio, ratio.interval.high / best_ratio}};
}

}  // namespace

bool ties(const Ratio& ratio) {
  return ratio.value <= kAlwaysTies || (ratio.interval.low <= 1 && ratio.value <= kMostOfATie);
}

std::optional<Winner> choose(const std::vector<Trial>& trials,
                             const Configuration& default_configuration) {
  Pool screened = measurements(trials, Stage::screen);
  drop_failed_finalists(screened, trials);
  const Pool finals = measurements(trials, Stage::final);
  const Pool pool = finals.empty() ? screened : without_the_beaten(finals, trials);
  if (pool.empty()) return std::nullopt;
  const Times fastest_of_all = fastest(trials, pool, finals);
  const std::size_t best = least_behind(trials, pool, fastest_of_all);
  const double best_ratio = behind(times_of(trials[best]), fastest_of_all);

  std::vector<std::size_t> tied;  // in the order of their configurations
  for (const auto& [configuration, i] : pool)
    if (i == best || ties(behind_best(times_of(trials[i]), fastest_of_all, best_ratio)))
      tied.push_back(i);
  const auto preference = [&](std::size_t i) {
    const bool is_default = trials[i].configuration == default_configuration;
    return std::tuple_cat(std::make_tuple(is_default ? 0 : 1), cost(trials[i]));
  };

  Winner winner;
  const std::vector<std::size_t> lean = with_fewest_cycles(trials, tied);
  winner.winner = *std::ranges::min_element(lean, {}, preference);
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

namespace {

double median_at(const std::vector<Trial>& trials, std::optional<std::size_t> i) {
  return i ? median_of(trials[*i]) : 0;
}

}  // namespace

std::optional<BestRow> row_of(const SweepRecord& sweep, const ImplementationKey& implementation,
                              const std::vector<Trial>& trials, const std::vector<Trial>& judged) {
  const auto chosen = choose(judged, implementation.default_configuration);
  if (!chosen) return std::nullopt;
  BestRow row;
  row.implementation = implementation.name;
  row.trial = trials[chosen->winner];
  row.configuration = row.trial.configuration;
  row.default_median_us = median_at(trials, chosen->default_trial);
  row.runner_up_median_us = median_at(trials, chosen->runner_up);
  row.measured = chosen->measured;
  row.tie = chosen->tie;
  row.problem = sweep.key.problem;
  row.device = sweep.key.device;
  row.policy = sweep.key.policy;
  row.environment = sweep.environment;
  row.sweep_uuid = sweep.uuid;
  row.finished = sweep.finished;
  row.imported = sweep.imported;
  row.epoch = implementation.epoch;
  row.source_hash = implementation.source_hash;
  return row;
}

std::vector<Trial> trials_of(const std::vector<Trial>& trials, const std::string& implementation) {
  std::vector<Trial> own;
  std::ranges::copy_if(trials, std::back_inserter(own),
                       [&](const Trial& trial) { return trial.implementation == implementation; });
  return own;
}

std::vector<BestRow> rows_so_far(const SweepRecord& sweep, const std::vector<Trial>& trials) {
  const Progress progress = progress_of(sweep, trials);
  std::vector<BestRow> rows;
  for (const ImplementationKey& implementation : sweep.key.implementations) {
    const std::vector<Trial> own = trials_of(trials, implementation.name);
    auto row = row_of(sweep, implementation, own, own);
    if (!row) continue;
    row->finished = sweep.started;
    row->unfinished = progress;
    rows.push_back(*std::move(row));
  }
  return rows;
}

std::size_t tried_of(const std::vector<Trial>& trials) {
  return static_cast<std::size_t>(std::ranges::count_if(trials, [](const Trial& trial) {
    return trial.stage == Stage::screen && trial.outcome != Outcome::pruned &&
           trial.outcome != Outcome::duplicate;
  }));
}

Progress progress_of(const SweepRecord& sweep, const std::vector<Trial>& trials) {
  Progress progress{tried_of(trials), sweep.key.budget};
  if (progress.total > 0) return progress;
  const auto report = parse_sorted(sweep.report);
  const auto legal = report.find(kCandidates);
  if (legal != report.end() && legal->is_number_unsigned())
    progress.total = legal->get<std::size_t>();
  return progress;
}

}  // namespace tilewright
