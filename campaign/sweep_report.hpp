// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// One more for `rule`; the first example of a rule stays.
void count_cut(std::vector<Cut>& cuts, const std::string& rule, const std::string& example);

// What cut a space before any compile: its rules, then the hardware's limits.
std::vector<Cut> cuts_before_compile(const Space& space);

nlohmann::json json_of(const std::vector<Cut>& cuts);

// Counts what a sweep ruled out, by implementation and rule.
class CutTally final : public SweepObserver {
 public:
  // Counts the spaces and the trials of an earlier, interrupted run: a sweep does not report those
  // again.
  explicit CutTally(const PreparedSweep& sweep);
  void on_trial(const Trial& trial) override;

  nlohmann::json json() const;

 private:
  struct Part {
    std::int64_t combinations = 0;
    std::size_t legal = 0;
    std::vector<Cut> space;      // before a compile
    std::vector<Cut> resources;  // from the compiler's report
  };
  std::map<std::string, Part> parts_;
};

// What is stored with the sweep, and what --json prints beside the winners.
nlohmann::json report_of(const SweepSummary& summary, const CutTally& tally);

// The answers of one sweep alone, one for each implementation, the fastest first.
std::vector<BestRow> winners_of(const SweepRecord& record, const std::vector<Trial>& trials);

}  // namespace tilewright
