#include "db/store/store.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "db/derived/best.hpp"
#include "db/derived/portable.hpp"
#include "db/store/migrations.hpp"
#include "db/store/sweeps.hpp"
#include "db/tables/confirmations.hpp"
#include "db/tables/identity.hpp"
#include "db/tables/rows.hpp"
#include "db/tables/sqlite.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

void create_folders(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder, error)) fs::create_directories(folder, error);
  if (error)
    throw MachineError(fmt::format("folder '{}' of the database cannot be created: {}",
                                   folder.string(), error.message()));
}

// A process that was killed while writing leaves a journal, which only a connection for writing may
// roll back. Does nothing if there is no journal, or no permission to write.
void roll_back_journal(const fs::path& file, StoreOptions options) {
  std::error_code ignored;
  if (!fs::exists(file, ignored) || !fs::exists(fs::path(file) += "-journal", ignored)) return;
  try {
    Database(file, Database::Mode::read_write, options.busy_time_out)
        .integer("PRAGMA user_version");
  } catch (const MachineError&) {
    // The connection for reading will report the error.
  }
}

Database::Mode prepare_file(const fs::path& file, Store::Mode mode, StoreOptions options) {
  if (mode == Store::Mode::read_only) {
    roll_back_journal(file, options);
    return Database::Mode::read_only;
  }
  create_folders(file);
  return Database::Mode::read_write;
}

}  // namespace

class Store::State {
 public:
  State(const fs::path& file, Mode mode, StoreOptions options)
      : database(file, prepare_file(file, mode, options), options.busy_time_out) {
    database.execute("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON");
    prepare_schema(database, schema_plan());
    if (mode == Mode::read_only) return;
    // Another tool may have switched the file to WAL.
    if (database.text("PRAGMA journal_mode = DELETE") != "delete")
      throw MachineError(
          fmt::format("database '{}' cannot be used with a rollback journal", file.string()));
    database.execute("PRAGMA synchronous = FULL");
  }

  Database database;
};

Store::Store(const fs::path& file, Mode mode, StoreOptions options)
    : state_(std::make_unique<State>(file, mode, options)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

std::optional<SweepRecord> Store::finished_sweep(const SweepKey& key) const {
  Condition condition;
  condition.add("s.finished IS NOT NULL AND s.request_hash = ?", request_hash(key));
  auto records = read_sweeps(state_->database, condition,
                             "s.origin = 'own' DESC, s.finished DESC, s.id DESC LIMIT 1");
  if (records.empty()) return std::nullopt;
  return std::move(records.front());
}

SweepRecord Store::begin_sweep(const SweepKey& key, const Environment& environment, Start start) {
  Transaction transaction(state_->database);
  SweepRecord record = open_sweep(state_->database, key, environment, start);
  transaction.commit();
  return record;
}

void Store::add_trial(std::int64_t sweep, const Trial& trial) {
  add_trials(sweep, {trial});
}

void Store::add_trials(std::int64_t sweep, const std::vector<Trial>& trials) {
  Transaction transaction(state_->database);
  const auto implementations = open_implementations(state_->database, sweep);
  TrialWriter writer(state_->database);
  for (const Trial& trial : trials) {
    const auto at = implementations.find(trial.implementation);
    if (at == implementations.end())
      throw std::logic_error(
          fmt::format("sweep {} is not open or does not list '{}'", sweep, trial.implementation));
    writer.add(sweep, at->second, trial);
  }
  transaction.commit();
}

void Store::finish_sweep(std::int64_t sweep, const std::string& report) {
  Transaction transaction(state_->database);
  if (!is_open(state_->database, sweep))
    throw std::logic_error(fmt::format("sweep {} is not open", sweep));
  close_sweep(state_->database, sweep, seconds_since_1970(), report);
  derive_best(state_->database, sweep);
  derive_portable(state_->database, sweep);
  transaction.commit();
}

std::vector<Trial> Store::trials(std::int64_t sweep) const {
  Statement select(state_->database,
                   "SELECT " + trial_columns() +
                       " FROM trial t JOIN implementation i ON i.id = t.implementation "
                       "WHERE t.sweep = ? ORDER BY t.id",
                   {sweep});
  std::vector<Trial> trials;
  while (select.step()) {
    Columns columns(select);
    trials.push_back(read_trial(columns));
  }
  return trials;
}

std::vector<SweepRecord> Store::sweeps(const Query& query) const {
  auto condition = condition_of(state_->database, query);
  if (!condition) return {};
  if (!query.implementation.empty())
    condition->add(
        "EXISTS (SELECT 1 FROM sweep_implementation si JOIN implementation i "
        "ON i.id = si.implementation WHERE si.sweep = s.id AND i.name = ?)",
        query.implementation);
  return read_sweeps(state_->database, *condition, "s.started, s.id");
}

SubjectList Store::subjects(const std::string& operation, DeviceKind kind) const {
  return read_subjects(state_->database, operation, kind);
}

std::vector<BestRow> Store::best_of(const std::vector<SubjectList::Row>& subjects) const {
  return read_best_of(state_->database, subjects);
}

std::int64_t Store::version() const {
  return state_->database.integer("PRAGMA data_version");
}

void Store::add_wanted(const std::vector<Wanted>& wanted) {
  Transaction transaction(state_->database);
  for (const Wanted& one : wanted) add_wanted_row(state_->database, one);
  transaction.commit();
}

std::vector<Wanted> Store::wanted(const std::string& operation) const {
  return read_wanted(state_->database, operation);
}

std::vector<BestRow> Store::best(const Query& query) const {
  return read_best(state_->database, query);
}

std::vector<Confirmation> Store::confirmations(std::int64_t trial) const {
  return read_confirmations(state_->database, trial);
}

void Store::add_confirmation(const Confirmation& confirmation) {
  Confirmation dated = confirmation;
  if (dated.at == 0) dated.at = seconds_since_1970();
  Transaction transaction(state_->database);
  add_confirmation_row(state_->database, dated);
  transaction.commit();
}

std::vector<PortableRow> Store::portable(const std::string& operation, DeviceKind kind) const {
  return read_portable(state_->database, operation, kind);
}

LossTable Store::losses(const std::string& operation, const Device& device) const {
  const auto id = find_id(state_->database, device);
  return id ? read_losses(state_->database, operation, *id) : LossTable{};
}

void Store::rebuild_best() {
  Transaction transaction(state_->database);
  derive_all_best(state_->database);
  derive_all_portable(state_->database);
  transaction.commit();
}

Store::ImportResult Store::import_sweeps(const std::vector<Imported>& sweeps) {
  Transaction transaction(state_->database);
  const ImportResult result = add_or_continue(state_->database, sweeps);
  if (result != ImportResult{}) derive_all_portable(state_->database);
  transaction.commit();
  return result;
}

const fs::path& Store::file() const {
  return state_->database.file();
}

}  // namespace tilewright
