#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "db/records/sweep_records.hpp"
#include "db/store/claims.hpp"
#include "db/tables/sqlite.hpp"
#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// Whether an answer was measured with the present definition of its implementation.
using IsPresent = std::function<bool(const BestRow&)>;

// The record of all sweeps in one SQLite file. Each trial is one transaction, with a rollback
// journal and synchronous FULL. Not thread-safe, but any number of processes may have the same file
// open. All calls throw MachineError if the file cannot be used: not a database, another program's,
// a newer version, read-only, locked for too long, disk full.
class Store {
 public:
  using Mode = Database::Mode;

  // read_write creates a missing file with its folders, and migrates an older version in one
  // transaction. read_only throws if the file is missing, or older than version 3. `patience` is
  // how long to wait for another process's lock.
  explicit Store(const std::filesystem::path& file, Mode mode = Mode::read_write,
                 std::chrono::milliseconds patience = std::chrono::seconds(30));

  // From now on `listener` gets a sentence for each row that a call leaves out, because it cannot
  // be parsed or no measurement can give its numbers (definition/json/border.hpp). The listener may
  // throw. Without one, such rows are left out silently.
  void tell_of_bad_rows(std::function<void(const std::string&)> listener) {
    database_->tell_of_bad_rows(std::move(listener));
  }

  // 128 random bits, hexadecimal, made with the file. Empty for an older version that is only read.
  std::string id() const { return database_->text("SELECT id FROM store"); }

  // Our own newest finished sweep with this key, if any. If a power limit is given, one under that
  // limit comes first, then one whose limit is not known, and no other. A sweep does not count if
  // one of its outcomes may be the machine's, unless the one before it found the same.
  std::optional<SweepRecord> finished_sweep(const SweepKey& key,
                                            const std::optional<int>& power_limit_w = {}) const;

  // Claims what it returns for this Store until the sweep ends.
  // resume: continues our newest unfinished sweep with this key and environment, else starts one.
  //   What may be the machine's outcome is no longer among its screened trials. Throws SweepInUse
  //   if another process measures it.
  // fresh: starts one.
  // retry: starts one with the screened trials of our newest sweep with this key and environment,
  //   finished or not, except those that faulted or whose outcome may be the machine's.
  enum class Start { resume, fresh, retry };
  SweepRecord begin_sweep(const SweepKey& key, const Environment& environment, Start start);
  // resume, but nothing if one of our sweeps with this key is finished under this power limit
  // (finished_sweep). Nobody can finish one in between.
  std::optional<SweepRecord> begin_unless_finished(const SweepKey& key,
                                                   const Environment& environment);
  // Notes how many configurations are legal for an unfinished sweep. Committed on return.
  void note_candidates(std::int64_t sweep, std::size_t candidates);
  // Committed on return. A second trial of the same configuration and stage is ignored. Throws
  // std::logic_error unless the sweep is unfinished and lists the implementation, and SweepInUse
  // like begin_sweep().
  void add_trial(std::int64_t sweep, const Trial& trial) { add_trials(sweep, {trial}); }
  // Adds all or none, in one transaction. For many trials at once, such as pruned ones.
  void add_trials(std::int64_t sweep, const std::vector<Trial>& trials);
  // Marks the sweep finished and updates `best` and `portable`, in one transaction. `key`: replaces
  // its key, if it has become another sweep, which may differ in the strategy only. Throws
  // std::logic_error if it is already finished, and SweepInUse like begin_sweep().
  void finish_sweep(std::int64_t sweep, const std::string& report,
                    const std::optional<SweepKey>& key = {});

  // In the order in which they were added.
  std::vector<Trial> trials(std::int64_t sweep) const;
  // Finished and unfinished, oldest first.
  std::vector<SweepRecord> sweeps(const Query& query) const;
  // The newest of those that match any, the newest first. Of so many rows, bad ones are left out.
  std::vector<SweepRecord> newest_sweeps(const std::vector<Query>& queries, std::size_t most) const;
  // How many match any, with bad rows.
  std::size_t count_sweeps(const std::vector<Query>& queries) const;
  // The names of the operations that have sweeps.
  std::set<std::string> operations() const;

  // One derived answer for each implementation, device, problem, policy and power limit that match.
  // Of several definitions of an implementation (epoch, source, space) one answers: the first that
  // `is_present`, else the first one. Those that we have measured come first, then newer epochs,
  // then the order of `best.definition`. All but one of those under several limits are superseded.
  std::vector<BestRow> best(const Query& query, const IsPresent& is_present = {}) const;

  // What trials of the operation (empty: of any) found to be wrong, in sweeps finished or not, of
  // our own or imported, and no newer sweep of the same problem on a device of the kind has found
  // right.
  std::vector<KnownWrong> known_wrong(const std::string& operation) const;

  // The answers of the sweeps that match and are not finished, the newest sweep's first.
  std::vector<BestRow> unfinished(const Query& query) const;

  // The subjects of best() for this operation on devices of this kind.
  SubjectList subjects(const std::string& operation, DeviceKind kind) const;
  // The same for these subjects, in their order.
  std::vector<BestRow> best_of(const std::vector<SubjectList::Row>& subjects,
                               const IsPresent& is_present = {}) const;

  // The trials that an answer of best() is compared with. Empty: there is none, or it is the winner
  // itself.
  struct Rivals {
    std::optional<Trial> runner_up;
    std::optional<Trial> standard;  // of the default configuration
  };
  // By the row id of the answer's trial.
  Rivals rivals(std::int64_t trial) const;

  // Reading has an allowance of work (db/tables/sqlite.hpp), which is enough for several times the
  // whole file. Begins it anew, for a store that answers many questions.
  void renew_allowance() const { database_->renew_allowance(); }

  // Changes when another connection has changed the file.
  std::int64_t version() const { return database_->integer("PRAGMA data_version"); }

  // Adds to the hits of each. Committed on return.
  void add_wanted(const std::vector<Wanted>& wanted);
  // Those without a finished sweep of ours since they were last asked for, most hits first. An
  // empty operation matches all.
  std::vector<Wanted> wanted(const std::string& operation = {}) const;

  // Takes these hits away again, and forgets what has none left. Committed on return.
  void remove_wanted(const std::vector<Wanted>& wanted);

  // Adds what a recheck found. Committed on return. Throws std::logic_error without such a trial.
  void add_confirmation(const Confirmation& confirmation);

  // The portable rows of the operation on devices of this kind. Each device's best row comes first.
  std::vector<PortableRow> portable(const std::string& operation, DeviceKind kind) const;

  LossTable losses(const std::string& operation, const Device& device) const;

  // Derives `best` and `portable` again from the trials.
  void rebuild_best();

  struct Imported {
    SweepRecord sweep;
    std::vector<Trial> trials;
  };
  struct ImportResult {
    std::size_t added = 0;
    std::size_t continued = 0;  // known, not finished here, and changed

    bool operator==(const ImportResult&) const = default;
  };
  // Adds sweeps of another store or export, finished or not, as imported, in one transaction. If an
  // imported sweep with the same uuid is unfinished here, it gets the missing trials, and ends if
  // the other one has. A finished one stays unchanged. A sweep of ours is never changed: a copy of
  // it is ignored, and anything else with its uuid is an InputError, as are numbers that no
  // measurement can give; then nothing is added.
  ImportResult import_sweeps(const std::vector<Imported>& sweeps);
  // Adds or continues sweeps of ours, in one transaction. A finished one stays unchanged. Throws
  // InputError unless all carry this store's id and none has been imported. A store without any
  // sweep takes the id that they carry. Throws SweepInUse if another process measures one.
  ImportResult recover_sweeps(const std::vector<Imported>& sweeps);
  // The same for sweeps that processes measured for this database in stores of their own, under the
  // id `job`. They become ours, and keep that id.
  ImportResult gather_sweeps(const std::vector<Imported>& sweeps, const std::string& job);

  const std::filesystem::path& file() const { return database_->file(); }
  bool is_copy() const { return database_->is_copy(); }  // sees no changes of the file

 private:
  // REQUIRES a Transaction.
  SweepRecord begin(const SweepKey& key, const Environment& environment, Start start);
  ImportResult take_own(const std::vector<Imported>& sweeps);  // REQUIRES a Transaction

  std::unique_ptr<Database> database_;
  std::unique_ptr<Claimant> claimant_ = std::make_unique<Claimant>();
};

// The kind of network file system on which the file is or would be made: "NFS", "Lustre". Empty for
// a file system of this machine, and for one that is not known. SQLite's locks do not work reliably
// between the machines that share such a file system.
std::string_view network_file_system(const std::filesystem::path& file);

// The same by the number that statfs() gives for a file system.
std::string_view network_file_system(long magic);

}  // namespace tilewright
