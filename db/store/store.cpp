#include "db/store/store.hpp"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <array>
#include <span>
#include <stdexcept>
#include <utility>

#include "db/derived/choose.hpp"
#include "db/derived/derive.hpp"
#include "db/store/migrations.hpp"
#include "db/tables/rows.hpp"
#include "definition/text/errors.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

void create_folders(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder, error)) fs::create_directories(folder, error);
  if (error)
    throw broken_machine("folder '{}' of the database cannot be created: {}", folder.string(),
                         error.message());
}

// Nothing if no sweep can match.
std::optional<Condition> condition_on_sweeps(Database& database, const Query& query) {
  auto condition = condition_of(database, query);
  if (condition && !query.implementation.empty())
    condition->add(
        "EXISTS (SELECT 1 FROM sweep_implementation si JOIN implementation i "
        "ON i.id = si.implementation WHERE si.sweep = s.id AND i.name = ?)",
        query.implementation);
  return condition;
}

// That a sweep matches any of them: one half or the other, because SQLite refuses deep expressions.
Condition condition_on_sweeps(Database& database, std::span<const Query> queries) {
  if (queries.empty()) return {"0", {}};
  if (queries.size() == 1)
    return condition_on_sweeps(database, queries.front()).value_or(Condition{"0", {}});
  Condition any = condition_on_sweeps(database, queries.first(queries.size() / 2));
  const Condition other = condition_on_sweeps(database, queries.subspan(queries.size() / 2));
  any.sql = fmt::format("({}) OR ({})", any.sql, other.sql);
  any.cells.insert(any.cells.end(), other.cells.begin(), other.cells.end());
  return any;
}

}  // namespace

Store::Store(const fs::path& file, Mode mode, StoreOptions options) {
  if (mode == Mode::read_write) create_folders(file);
  database_ = std::make_unique<Database>(file, mode, options.busy_time_out);
  database_->execute("PRAGMA foreign_keys = ON");
  prepare_schema(*database_, schema_plan());
  if (mode == Mode::read_only) return;
  // Another tool may have switched the file to WAL.
  if (database_->text("PRAGMA journal_mode = DELETE") != "delete")
    throw broken_machine("database '{}' cannot be used with a rollback journal", file.string());
  database_->execute("PRAGMA synchronous = FULL");
}

void Store::tell_of_bad_rows(std::function<void(const std::string&)> listener) {
  database_->tell_of_bad_rows(std::move(listener));
}

std::string Store::id() const {
  return database_->text("SELECT id FROM store");
}

std::optional<SweepRecord> Store::finished_sweep(const SweepKey& key,
                                                 const std::optional<int>& power_limit_w) const {
  Condition condition;
  condition.add("s.origin = 'own' AND s.finished IS NOT NULL AND s.request_hash = ?",
                request_hash(key));
  condition.sql += " AND NOT " + has_trials_to_repeat();
  if (power_limit_w) condition.add("ifnull(e.power_limit_w = ?, 1)", to_cell(*power_limit_w));
  const std::string order = power_limit_w ? "e.power_limit_w IS NULL, " : "";
  return first_row(read_sweeps(*database_, condition, order + "s.id DESC LIMIT 1"));
}

void Store::note_candidates(std::int64_t sweep, std::size_t candidates) {
  Transaction transaction(*database_);
  database_->run("UPDATE sweep SET report = ? WHERE id = ? AND finished IS NULL",
                 {fmt::format("{{\"{}\":{}}}", kCandidates, candidates), sweep});
  transaction.commit();
}

void Store::add_trial(std::int64_t sweep, const Trial& trial) {
  add_trials(sweep, {trial});
}

void Store::add_trials(std::int64_t sweep, const std::vector<Trial>& trials) {
  Transaction transaction(*database_);
  claimant_->renew(*database_, sweep);
  if (const Trial* unlisted = add_trial_rows(*database_, sweep, trials))
    throw std::logic_error(
        fmt::format("sweep {} is not open or does not list '{}'", sweep, unlisted->implementation));
  transaction.commit();
}

void Store::finish_sweep(std::int64_t sweep, const std::string& report,
                         const std::optional<SweepKey>& key) {
  Transaction transaction(*database_);
  if (!Statement(*database_, "SELECT 1 FROM sweep WHERE id = ? AND finished IS NULL", {sweep})
           .step())
    throw std::logic_error(fmt::format("sweep {} is not open", sweep));
  claimant_->require_free(*database_, sweep);
  if (key) set_strategy(*database_, sweep, *key);
  close_sweep(*database_, sweep, seconds_since_1970(), report);
  derive_best(*database_, sweep);
  derive_portable(*database_, sweep);
  transaction.commit();
}

std::vector<Trial> Store::trials(std::int64_t sweep) const {
  return rows_of(Statement(*database_,
                           "SELECT " + trial_columns() +
                               " FROM trial t JOIN implementation i ON i.id = t.implementation "
                               "WHERE t.sweep = ? ORDER BY t.id",
                           {sweep}),
                 read_trial);
}

std::vector<SweepRecord> Store::sweeps(const Query& query) const {
  const auto condition = condition_on_sweeps(*database_, query);
  if (!condition) return {};
  return read_sweeps(*database_, *condition, "s.started, s.id");
}

std::vector<SweepRecord> Store::newest_sweeps(const std::vector<Query>& queries,
                                              std::size_t most) const {
  Condition condition = condition_on_sweeps(*database_, queries);
  constexpr const char* kOrder = "s.started DESC, s.id DESC";
  // Without the other columns, which are long. SQLite takes a negative limit for none.
  condition.sql = fmt::format("s.id IN (SELECT s.id FROM sweep s WHERE {} ORDER BY {} LIMIT {})",
                              condition.sql, kOrder, static_cast<std::int64_t>(most));
  return read_sweeps(*database_, condition, kOrder);
}

std::size_t Store::count_sweeps(const std::vector<Query>& queries) const {
  const Condition condition = condition_on_sweeps(*database_, queries);
  // In a damaged file, count(*) may not end: no allowance stops it.
  return static_cast<std::size_t>(database_->integer(
      "SELECT ifnull(sum(1), 0) FROM sweep s WHERE " + condition.sql, condition.cells));
}

std::set<std::string> Store::operations() const {
  Statement select(*database_, "SELECT DISTINCT operation FROM sweep");
  std::set<std::string> names;
  while (select.step()) names.insert(select.text(0));
  return names;
}

std::int64_t Store::version() const {
  return database_->integer("PRAGMA data_version");
}

LossTable Store::losses(const std::string& operation, const Device& device) const {
  const auto id = find_id(*database_, device);
  return id ? read_losses(*database_, operation, *id) : LossTable{};
}

void Store::rebuild_best() {
  Transaction transaction(*database_);
  derive_all(*database_);
  transaction.commit();
}

namespace {

struct NetworkSystem {
  unsigned long magic;
  std::string_view name;
};

// Linux's magic.h, and the headers of systems that are not part of Linux.
constexpr std::array kNetworkSystems = std::to_array<NetworkSystem>({
    {0x6969, "NFS"},
    {0x517b, "SMB"},
    {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x19830326, "BeeGFS"},
    {0x47504653, "GPFS"},
    {0x5346414f, "AFS"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
});

}  // namespace

std::string_view network_file_system(const fs::path& file) {
  std::error_code ignored;
  fs::path place = fs::absolute(file, ignored);
  struct statfs facts = {};
  while (statfs(place.c_str(), &facts) != 0) {
    if (!place.has_relative_path()) return "";
    place = place.parent_path();
  }
  return network_file_system(static_cast<long>(facts.f_type));
}

std::string_view network_file_system(long magic) {
  constexpr unsigned long kBits = 0xffffffff;  // it may have been taken for a negative number
  for (const NetworkSystem& system : kNetworkSystems)
    if (system.magic == (static_cast<unsigned long>(magic) & kBits)) return system.name;
  return "";
}

}  // namespace tilewright
