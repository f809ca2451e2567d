#pragma once

#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Commits each trial when it ends, and those of the final together. If the store fails, it writes
// the unfinished sweep with all its trials to a file next to the database, or else to the folder
// for temporary files. Then it throws a MachineError that names the failure and the file.
class StoreObserver final : public SweepObserver {
 public:
  // `sweep` is unfinished; `trials` are those that it has so far.
  StoreObserver(Store& store, SweepRecord sweep, std::vector<Trial> trials);
  void on_trial(const Trial& trial) override { keep({trial}); }
  void on_pruned(const std::vector<Trial>& trials) override { keep(trials); }
  void on_finals(const std::vector<Trial>& trials) override { keep(trials); }
  void finish(const std::string& report);

  const std::vector<Trial>& trials() const { return trials_; }

 private:
  void keep(const std::vector<Trial>& trials);
  [[noreturn]] void rescue(const std::string& failure) const;

  Store& store_;
  SweepRecord sweep_;
  std::vector<Trial> trials_;
};

// Tells several observers, in order. The store comes first, so that only stored trials are shown.
class ObserverList final : public SweepObserver {
 public:
  explicit ObserverList(std::vector<SweepObserver*> observers) : observers_(std::move(observers)) {}
  void on_start(std::size_t candidates, std::size_t already_done) override {
    for (SweepObserver* observer : observers_) observer->on_start(candidates, already_done);
  }
  void on_trial(const Trial& trial) override {
    for (SweepObserver* observer : observers_) observer->on_trial(trial);
  }
  void on_pruned(const std::vector<Trial>& trials) override {
    for (SweepObserver* observer : observers_) observer->on_pruned(trials);
  }
  void on_finals(const std::vector<Trial>& trials) override {
    for (SweepObserver* observer : observers_) observer->on_finals(trials);
  }

 private:
  std::vector<SweepObserver*> observers_;
};

}  // namespace tilewright
