// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "db/store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// Commits each trial of a sweep as it ends.
class StoreObserver final : public SweepObserver {
 public:
  StoreObserver(Store& store, std::int64_t sweep) : store_(store), sweep_(sweep) {}
  void on_trial(const Trial& trial) override { store_.add_trial(sweep_, trial); }
  void on_pruned(const std::vector<Trial>& trials) override { store_.add_trials(sweep_, trials); }

 private:
  Store& store_;
  std::int64_t sweep_;
};

// Tells several observers, in order: put the store first, so that nothing is shown that is not
// kept.
class ObserverList final : public SweepObserver {
 public:
  explicit ObserverList(std::vector<SweepObserver*> observers) : observers_(std::move(observers)) {}
  void on_space(const Implementation& implementation, const Space& space) override {
    for (SweepObserver* observer : observers_) observer->on_space(implementation, space);
  }
  void on_start(std::size_t candidates, std::size_t already_done) override {
    for (SweepObserver* observer : observers_) observer->on_start(candidates, already_done);
  }
  void on_trial(const Trial& trial) override {
    for (SweepObserver* observer : observers_) observer->on_trial(trial);
  }
  void on_pruned(const std::vector<Trial>& trials) override {
    for (SweepObserver* observer : observers_) observer->on_pruned(trials);
  }

 private:
  std::vector<SweepObserver*> observers_;
};

}  // namespace tilewright::tools
