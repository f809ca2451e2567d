#include "db/exchange/difference.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

using Key = std::vector<std::string>;

Key key_of(const BestRow& row) {
  return {row.device.name,       json_text(to_json(row.device)),
          row.problem.operation, canonical_json(row.problem.values),
          to_text(row.policy),   row.implementation};
}

using ByKey = std::map<Key, const BestRow*>;

ByKey by_key(const std::vector<BestRow>& rows) {
  ByKey keyed;
  for (const BestRow& row : rows)
    if (!row.superseded) keyed.emplace(key_of(row), &row);
  return keyed;
}

RowChange change_of(const BestRow& first, const BestRow& second) {
  RowChange change{first, second, first.configuration != second.configuration, false, 0};
  if (!first.trial.timing || !second.trial.timing) return change;
  const Timing& before = *first.trial.timing;
  const Timing& after = *second.trial.timing;
  change.has_other_time = before.interval_high_us < after.interval_low_us ||
                          after.interval_high_us < before.interval_low_us;
  if (before.median_us > 0) change.ratio = after.median_us / before.median_us;
  return change;
}

auto software_order(const Environment& all) {
  return std::tie(all.driver, all.runtime, all.compiler, all.tool, all.power_limit_w);
}

// By device, as text.
std::map<std::string, SoftwareChange> software_of(const std::vector<BestRow>& first,
                                                  const std::vector<BestRow>& second) {
  std::map<std::string, SoftwareChange> all;
  for (const auto& [rows, member] :
       {std::pair(&first, &SoftwareChange::first), std::pair(&second, &SoftwareChange::second)})
    for (const BestRow& row : *rows) {
      SoftwareChange& change = all[row.device.name + json_text(to_json(row.device))];
      change.device = row.device;
      std::vector<Environment>& known = change.*member;
      if (!is_among(row.environment, known)) known.push_back(row.environment);
    }
  return all;
}

}  // namespace

RowDifference difference_of(const std::vector<BestRow>& first, const std::vector<BestRow>& second) {
  RowDifference difference;
  for (auto& [device, change] : software_of(first, second)) {
    std::ranges::sort(change.first, {}, software_order);
    std::ranges::sort(change.second, {}, software_order);
    if (!change.first.empty() && !change.second.empty() && change.first != change.second)
      difference.software.push_back(std::move(change));
  }
  std::map<Key, RowChange> changes;
  const ByKey before = by_key(first);
  const ByKey after = by_key(second);
  for (const auto& [key, row] : before) {
    const auto other = after.find(key);
    if (other == after.end()) {
      changes[key] = {*row, std::nullopt};
      continue;
    }
    RowChange change = change_of(*row, *other->second);
    if (change.has_other_winner || change.has_other_time)
      changes[key] = std::move(change);
    else
      ++difference.same;
  }
  for (const auto& [key, row] : after)
    if (!before.contains(key)) changes[key] = {std::nullopt, *row};
  for (auto& [key, change] : changes) difference.changes.push_back(std::move(change));
  return difference;
}

}  // namespace tilewright
