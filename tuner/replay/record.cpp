// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/replay/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tilewright/error.hpp"
#include "tuner/replay/gunzip.hpp"
#include "tuner/replay/recorded_json.hpp"

namespace tilewright {

double best_time_us(const Record& record) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : record.trials)
    if (trial.timing) best = std::min(best, trial.timing->median_us);
  if (best < std::numeric_limits<double>::infinity()) return best;
  throw InputError(
      fmt::format("{}: none of its {} configurations has a time; replay needs a "
                  "record with measured ones",
                  record.name, record.trials.size()));
}

SearchGrid grid_of(const Record& record) {
  std::vector<GridPoint> points;
  points.reserve(record.trials.size());
  for (const Trial& trial : record.trials)
    points.push_back({trial.implementation, &trial.configuration.values});
  return make_grid(points);
}

Record read_record(std::string_view bytes, const std::string& name) {
  const Unpacked unpacked = gunzip(bytes);
  Record record = record_from_json(unpacked.text, name);
  record.is_complete = record.is_complete && unpacked.is_complete;
  return record;
}

}  // namespace tilewright
