// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/records/confirmation.hpp"
#include "db/records/losses.hpp"
#include "db/records/sweep_records.hpp"
#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

struct StoreOptions {
  std::chrono::milliseconds busy_time_out{30'000};  // how long to wait for another's lock
};

// The record of all sweeps in one SQLite file. One transaction a trial, rollback journal,
// synchronous FULL, busy time-out with back-off. Not thread-safe; any number of processes may
// have the same file open. All calls throw MachineError when the file cannot be used: not a
// database, another program's, a newer version, read-only, locked for too long, disk full.
class Store {
 public:
  enum class Mode { read_only, read_write };

  // read_write creates the file and its folders where they are missing, and migrates an older
  // version in one transaction. read_only of a missing file throws.
  explicit Store(const std::filesystem::path& file, Mode mode = Mode::read_write,
                 StoreOptions options = {});
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // The newest finished sweep with this key, if any; an imported one only if none is our own.
  std::optional<SweepRecord> finished_sweep(const SweepKey& key) const;

  // resume: goes on with the newest unfinished sweep with this key and environment, with one of
  // our own if there is one, else with an imported one, which becomes our own; else starts one.
  // fresh: starts one. retry: starts one that takes over what the newest of our own with this key
  // and environment has screened, finished or not, but what faulted or ran out of time.
  enum class Start { resume, fresh, retry };
  SweepRecord begin_sweep(const SweepKey& key, const Environment& environment, Start start);
  // Committed on return. The first trial of a configuration and stage stands, a second one is
  // ignored. Throws std::logic_error unless the sweep is unfinished and lists the implementation.
  void add_trial(std::int64_t sweep, const Trial& trial);
  // All or none, in one transaction: for many that are known at once, such as pruned ones.
  void add_trials(std::int64_t sweep, const std::vector<Trial>& trials);
  // Marks it finished and brings `best` up to date, in one transaction. Throws std::logic_error
  // if it is finished already.
  void finish_sweep(std::int64_t sweep, const std::string& report);

  // In the order they were added.
  std::vector<Trial> trials(std::int64_t sweep) const;
  // Finished and unfinished, oldest first.
  std::vector<SweepRecord> sweeps(const Query& query) const;

  // Derived answers, one for each implementation, device, problem and policy that match; of an
  // implementation's epochs the newest that has an answer.
  std::vector<BestRow> best(const Query& query) const;

  // What best() has answers of, for problems of this operation on devices of this kind.
  SubjectList subjects(const std::string& operation, DeviceKind kind) const;
  // The answers of some of these, in their order.
  std::vector<BestRow> best_of(const std::vector<SubjectList::Row>& subjects) const;

  // Differs from an earlier call's if another connection has changed the file in between.
  std::int64_t version() const;

  // Adds to the hits of each. Committed on return.
  void add_wanted(const std::vector<Wanted>& wanted);
  // Those without a finished sweep since they were asked for, most hits first. An empty operation
  // matches all.
  std::vector<Wanted> wanted(const std::string& operation = {}) const;

  // What rechecks said of a trial, oldest first.
  std::vector<Confirmation> confirmations(std::int64_t trial) const;
  // Committed on return. Throws std::logic_error if there is no such trial.
  void add_confirmation(const Confirmation& confirmation);

  // What is good in general of the operation on devices of this kind; each device's rows in order,
  // the best first. Brought up to date with `best`.
  std::vector<PortableRow> portable(const std::string& operation, DeviceKind kind) const;

  // Every time on record of the operation on the device beside that of its problem's winner.
  LossTable losses(const std::string& operation, const Device& device) const;

  // Works `best` and what portable() gives out again from the trials alone.
  void rebuild_best();

  // Adds sweeps of another store or export, finished or not. One whose uuid is known and that is
  // not finished here gets the trials that it lacks, and its end; a finished one is left alone.
  // One transaction.
  struct Imported {
    SweepRecord sweep;
    std::vector<Trial> trials;
  };
  struct ImportResult {
    std::size_t added = 0;
    std::size_t continued = 0;  // known, not finished here, and changed

    bool operator==(const ImportResult&) const = default;
  };
  ImportResult import_sweeps(const std::vector<Imported>& sweeps);

  const std::filesystem::path& file() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
