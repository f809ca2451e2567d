#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright::bench {

// The answer that one way of answering gives for a problem that it has no results of.
struct GuessedAnswer {
  std::string implementation;
  Configuration configuration;
  double distance = 0;          // for near_problem and near_device only
  std::optional<double> ratio;  // its time / the problem's best time on record; none: not measured
};

// A tuned problem that is treated as unknown. An empty answer: that way has none that fits.
struct LeftOut {
  TunedProblem tuned;
  std::optional<GuessedAnswer> near_problem;  // at any distance
  std::optional<GuessedAnswer>
      near_device;  // results of this problem count, those of this device do not
  std::optional<GuessedAnswer> portable;            // from this device's other problems
  std::optional<GuessedAnswer> portable_elsewhere;  // from other devices alone
  std::optional<GuessedAnswer> standard;            // the manifest's default
  std::optional<GuessedAnswer> by_volume;  // the winner of the nearest product of dimensions
  std::optional<GuessedAnswer> served;     // what a look-up answers without this problem's results
};

// Leaves out each tuned problem of the family's operation on the device in turn, under both
// policies at once. Every answer is compared with that problem's own trials.
std::vector<LeftOut> leave_one_out(const Family& family, const Device& device, const Store& store);

}  // namespace tilewright::bench
