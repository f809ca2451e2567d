#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// Counts one more cut by `rule`. Keeps the first example of a rule.
void count_cut(std::vector<Cut>& cuts, const std::string& rule, const std::string& example);

// The cuts of a space before any compile: by its rules, then by the hardware's limits.
std::vector<Cut> cuts_before_compile(const Space& space);

nlohmann::json json_of(const std::vector<Cut>& cuts);

// Counts what a sweep ruled out, by implementation and rule.
class CutTally final : public SweepObserver {
 public:
  // Counts the spaces, and the trials of an interrupted run, which the sweep does not report again.
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

// The report that is stored with the sweep. --json prints it together with the winners.
nlohmann::json report_of(const SweepSummary& summary, const CutTally& tally);

// The answers of this sweep alone: one for each implementation, the fastest first.
std::vector<BestRow> winners_of(const SweepRecord& record, const std::vector<Trial>& trials);

}  // namespace tilewright
