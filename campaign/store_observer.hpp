// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Commits each trial as it ends, those of the final stage together. Where the store fails, writes
// the unfinished sweep with all its trials, the last one too, beside the database, or in the
// folder for temporary files if that is not possible, and throws a MachineError that names both.
class StoreObserver final : public SweepObserver {
 public:
  // An unfinished sweep with the trials it has so far.
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

// Tells several observers, in order: put the store first, so that nothing is shown that is not
// kept.
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
