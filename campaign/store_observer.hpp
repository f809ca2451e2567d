#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "db/store/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Commits each trial when it ends, and those of the final together. If the store fails, it writes
// the unfinished sweep with all its trials to a file next to the database, or else to `scratch`.
// Then it throws a MachineError that names the failure and the file. Tells `next` of what is
// stored.
class StoreObserver final : public SweepObserver {
 public:
  // `sweep` is unfinished; `trials` are those that it has so far.
  StoreObserver(Store& store, SweepRecord sweep, std::vector<Trial> trials,
                std::filesystem::path scratch, SweepObserver& next)
      : store_(store),
        sweep_(std::move(sweep)),
        trials_(std::move(trials)),
        scratch_(std::move(scratch)),
        next_(next) {}
  void on_start(std::size_t candidates, std::size_t already_done) override {
    next_.on_start(candidates, already_done);
  }
  void on_trial(const Trial& trial) override {
    keep({trial});
    next_.on_trial(trial);
  }
  void on_pruned(const std::vector<Trial>& trials) override {
    keep(trials);
    next_.on_pruned(trials);
  }
  void on_finals(const std::vector<Trial>& trials) override {
    keep(trials);
    next_.on_finals(trials);
  }
  void finish(const std::string& report);

  const std::vector<Trial>& trials() const { return trials_; }

 private:
  void keep(const std::vector<Trial>& trials);
  [[noreturn]] void rescue(const std::string& failure) const;

  Store& store_;
  SweepRecord sweep_;
  std::vector<Trial> trials_;
  std::filesystem::path scratch_;
  SweepObserver& next_;
};

}  // namespace tilewright
