// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "campaign/device_lock.hpp"
#include "campaign/prepared_sweep.hpp"
#include "campaign/workers.hpp"
#include "db/store/store.hpp"
#include "tilewright/tune.hpp"

namespace tilewright {

// A sweep with its record, and what became of it.
struct StoredSweep {
  enum class Fate {
    nothing_legal,  // nor a configuration that a limit of the device rules out
    not_begun,      // stopped while another process measured on the device
    was_on_record,
    interrupted,  // the same sweep goes on from here
    measured,
  };
  Fate fate = Fate::nothing_legal;
  SweepRecord record;  // no uuid: nothing is on record
  nlohmann::json report = nlohmann::json::object();
  std::vector<BestRow> winners;  // one for each implementation, the fastest first
  std::vector<Trial> trials;
  MachineSummary machine = {};  // of this run
};

// Told of what a campaign does, on its thread; of a trial after the store has it.
class CampaignObserver : public SweepObserver {
 public:
  virtual void on_claim() {}                   // from here on the campaign can be stopped
  virtual void on_wait(const std::string&) {}  // who else measures there; a throw ends the waiting
  virtual void on_begin(std::size_t /*kept*/) {}  // trials of an earlier run
};

struct CampaignOptions {
  std::filesystem::path database;
  Store::Start start = Store::Start::resume;
  Isolation isolation = Isolation::process;
  std::function<WorkerOptions()> workers;  // asked for when something is to be measured
};

// Sweeps one problem after another on one device: store, device and processes are had when they are
// first needed, and kept. Where a sweep and a store meet.
class Campaign {
 public:
  // `observer` and `stop` must outlive it.
  Campaign(CampaignOptions options, CampaignObserver& observer, const std::atomic<bool>& stop)
      : options_(std::move(options)), observer_(observer), stop_(stop) {}

  // Answers from the store what is finished there, goes on with what was interrupted, unless asked
  // otherwise. Each trial is committed as it ends. Throws as run_sweep() and StoreObserver do.
  StoredSweep run(PreparedSweep& sweep);

 private:
  std::optional<StoredSweep> finished_before(const PreparedSweep& sweep) const;
  bool claim(const DeviceReport& device);
  void start_workers(const Device& device);
  StoredSweep measure(PreparedSweep& sweep);

  CampaignOptions options_;
  CampaignObserver& observer_;
  const std::atomic<bool>& stop_;
  std::optional<Store> store_;
  DeviceClaim claim_;
  std::optional<CompileProcesses> compilers_;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace tilewright
