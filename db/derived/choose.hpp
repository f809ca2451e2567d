#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"
#include "tilewright/statistics.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// The winner among the trials of one implementation in one sweep.
struct Winner {
  std::size_t winner = 0;                // index into the trials
  std::optional<std::size_t> runner_up;  // the other configuration with the least ratio to it
  std::optional<std::size_t> default_trial;
  std::size_t measured = 0;  // distinct configurations with a time
  bool tie = false;
};

// No time ties with another one that is further off.
inline constexpr double kMostOfATie = 1.01;

// Whether a time ties with the best one: their ratio is within 0.2 %, or it is within 1 % and its
// 95 % interval contains 1.
bool ties(const Ratio& ratio);

// Nothing if no trial was measured. The order of the trials does not matter. If the final measured
// any configuration, only those that it measured to the last round can win; a configuration that
// failed in the final cannot win. A trial counts by its ratio to the least median; one that was
// measured with cold and with warm operands counts by the worse of its two ratios. Several trials
// may tie with the least ratio. One of these cannot win if it takes over 0.5 % more clock cycles
// than another of them, and its clock is over 1 % below the highest of all trials: it took no
// longer only because its clock was held down less. Of the rest the default wins, then fewer
// registers, then less shared memory, then the first configuration in order.
std::optional<Winner> choose(const std::vector<Trial>& trials,
                             const Configuration& default_configuration);

// The answer of this sweep alone for one of its implementations; nothing if none of its trials has
// a time. `trials` are the implementation's. choose() compares `judged`, which are the same with
// what decides as their times.
std::optional<BestRow> row_of(const SweepRecord& sweep, const ImplementationKey& implementation,
                              const std::vector<Trial>& trials, const std::vector<Trial>& judged);

// Those of an implementation.
std::vector<Trial> trials_of(const std::vector<Trial>& trials, const std::string& implementation);

// The answers of a sweep that is not finished, by its trials so far.
std::vector<BestRow> rows_so_far(const SweepRecord& sweep, const std::vector<Trial>& trials);

// How many configurations were tried, as a budget counts them.
std::size_t tried_of(const std::vector<Trial>& trials);

// Of a report: the number of legal configurations. It is known before the sweep is finished.
constexpr const char* kCandidates = "candidates";

// Of an unfinished sweep.
Progress progress_of(const SweepRecord& sweep, const std::vector<Trial>& trials);

}  // namespace tilewright
