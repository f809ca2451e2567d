#include "db/tables/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <thread>
#include <utility>

#include "db/tables/file_access.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

constexpr int kLongestCell = 256 << 20;  // bytes, also of a row
constexpr int kLongestOfSchema = 128 << 10;
constexpr int kLongestPattern = 64;  // of ALTER TABLE, whose text SQLite makes
constexpr int kDeepestExpression = 100;

// Of processor time, to open a file with a foreign schema. Some of its expressions may run then.
constexpr std::chrono::nanoseconds kLongestOpening = std::chrono::seconds(1);
constexpr int kStepsBetweenLooksAtOpening = 16;

// What reading may take. A sound file needs a small part of it.
constexpr std::int64_t kMostSteps = 30'000'000;  // about a second
constexpr std::int64_t kStepsAByte = 64;
constexpr std::int64_t kMostRead = std::int64_t{64} << 20;
constexpr std::int64_t kTimesRead = 16;  // as much as the file has
constexpr int kStepsBetweenLooks = 1000;
constexpr FileLimit kJournalFile = {"a database's journal", 256};
constexpr std::int64_t kLargestCopy = 256 << 20;

std::chrono::nanoseconds time_of_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// The file may come from anybody: its schema may not call functions that have effects or take
// endless time, and no cell may take all memory.
void distrust(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestOfSchema);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, kDeepestExpression);
  sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 0);
}

// The file that a connection reads. Null if there is none.
sqlite3_file* file_of(sqlite3* handle) {
  sqlite3_file* file = nullptr;
  if (handle != nullptr) sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

std::int64_t size_of(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  file->pMethods->xFileSize(file, &size);
  return size;
}

// A folder that nobody else may enter.
struct PrivateFolder {
  fs::path path;

  PrivateFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "tilewright-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr)
      throw MachineError("no temporary folder can be made; name a place for it in TMPDIR");
    path = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
};

}  // namespace

// How a connection waits for the locks of other processes.
struct Patience {
  std::chrono::milliseconds limit;
  std::chrono::steady_clock::time_point since;
  std::uint32_t jitter;
  std::chrono::steady_clock::time_point last_transaction_end = {};

  // SQLite's busy handler. Processes that wait together must not retry together, so each pause
  // is between half of its bound and the bound.
  static int wait(void* self, int attempt) {
    auto& patience = *static_cast<Patience*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (attempt == 0) patience.since = now;
    if (now - patience.since >= patience.limit) return 0;
    patience.jitter = patience.jitter * 1664525U + 1013904223U;
    const std::uint32_t bound_us = 1000U << std::min(attempt / 2, 3);
    const std::uint32_t pause_us = bound_us / 2 + (patience.jitter >> 8) % (bound_us / 2);
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    return 1;
  }

  // Waiting processes try the lock every few milliseconds. A process that begins its next
  // transaction at once would always take the lock before them.
  void let_others_in() const {
    constexpr std::chrono::milliseconds kOpenFor{1};
    std::this_thread::sleep_until(last_transaction_end + kOpenFor);
  }
};

Database::Database(fs::path file, Mode mode, std::chrono::milliseconds patience)
    : file_(std::move(file)),
      mode_(mode),
      patience_(std::make_unique<Patience>(
          Patience{patience, {}, static_cast<std::uint32_t>(::getpid()) * 2654435761U})),
      handle_(nullptr, sqlite3_close_v2) {
  std::error_code ignored;
  if (fs::is_directory(file_, ignored))
    throw broken_machine("database '{}' is a directory", file_.string());
  if (mode == Mode::read_only && !fs::exists(file_, ignored))
    throw broken_machine("database '{}' does not exist", file_.string());
  if (fs::exists(file_, ignored) && !fs::is_regular_file(file_, ignored))
    throw broken_machine("database '{}' is not a regular file", file_.string());
  absolute_ = fs::absolute(file_);
  connect(absolute_.string());  // which cannot be a URI or ":memory:"
  // Without permission to write, SQLite opens the file read-only.
  if (mode == Mode::read_write && sqlite3_db_readonly(handle_.get(), "main") == 1)
    fail(SQLITE_READONLY);
  if (mode == Mode::read_only) begin_reading();
}

Database::~Database() = default;

void Database::connect(const std::string& path) {
  const int flags =
      mode_ == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, flags,
                      mode_ == Mode::read_only ? access_for_reading() : access_for_writing());
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(handle ? sqlite3_extended_errcode(handle) : code);
  sqlite3_extended_result_codes(handle, 1);
  distrust(handle);
  sqlite3_busy_handler(handle, &Patience::wait, patience_.get());
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) device_ = facts.st_dev;
  renew_allowance();
  opened_ = {};
  const auto is_over = [](void* begin) -> int {
    auto& opened = *static_cast<std::chrono::nanoseconds*>(begin);
    if (opened == std::chrono::nanoseconds{}) opened = time_of_thread();
    return time_of_thread() - opened > kLongestOpening;
  };
  sqlite3_progress_handler(handle, kStepsBetweenLooksAtOpening, is_over, &opened_);
}

void Database::trust_schema() {
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, kLongestCell);
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern);
  is_schema_ours_ = true;
  renew_allowance();
  const auto is_over = [](void* steps_left) -> int {
    return (*static_cast<std::int64_t*>(steps_left) -= kStepsBetweenLooks) < 0;
  };
  sqlite3_progress_handler(handle_.get(), kStepsBetweenLooks, is_over, &steps_left_);
}

void Database::renew_allowance() {
  steps_left_ = bytes_left_ = std::numeric_limits<std::int64_t>::max();
  if (mode_ == Mode::read_write && is_schema_ours_) return;
  constexpr std::int64_t kLargest = std::int64_t{1} << 48;  // more than SQLite can have
  sqlite3_file* const file = file_of(handle_.get());
  const std::int64_t size = file == nullptr ? 0 : std::min(size_of(file), kLargest);
  steps_left_ = kMostSteps + kStepsAByte * size;
  bytes_left_ = kMostRead + kTimesRead * size;
}

void Database::spend(std::size_t bytes) {
  bytes_left_ -= static_cast<std::int64_t>(bytes);
  if (bytes_left_ < 0) fail(SQLITE_INTERRUPT);
}

// Only a connection for writing may roll back what a killed process left, or use a write-ahead log.
void Database::begin_reading() {
  for (int attempt = 0;; ++attempt) {
    const int code = sqlite3_exec(handle_.get(), "PRAGMA user_version", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if (code != SQLITE_READONLY_ROLLBACK && code != kHasLog) fail(code);
    if (connect_to_copy(code)) return;
    if (Patience::wait(patience_.get(), attempt) == 0) fail(code);
  }
}

// Connects to a copy in which SQLite has done that. Returns false if another process is at work, so
// that reading may succeed next time.
bool Database::connect_to_copy(int why) try {
  const PrivateFolder folder;
  const fs::path copy = folder.path / "copy.db";
  if (!copy_to(copy, why)) return false;
  Database writer(copy, Mode::read_write, {});
  if (why != kHasLog)
    writer.integer("PRAGMA user_version");  // rolls back, and reads no table
  else if (writer.text("PRAGMA journal_mode = DELETE") != "delete")
    fail(why);
  connect(copy.string());
  // From here on SQLite looks for nothing beside the file, whose name is free when the folder goes.
  execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version");
  return is_copy_ = true;
} catch (const InputError& error) {  // of the journal
  throw MachineError(error.what());
} catch (const std::exception&) {
  fail(why);
}

// Copies the file, and its journal unless `why` is that it has a log.
bool Database::copy_to(const fs::path& copy, int why) const {
  sqlite3_file* const file = file_of(handle_.get());
  if (file->pMethods->xLock(file, SQLITE_LOCK_SHARED) != SQLITE_OK) return false;
  const auto unlock = [](sqlite3_file* held) { held->pMethods->xUnlock(held, SQLITE_LOCK_NONE); };
  const std::unique_ptr<sqlite3_file, decltype(unlock)> lock(file);
  const char* const name = sqlite3_db_filename(handle_.get(), "main");
  const fs::path journal = sqlite3_filename_journal(name);
  std::error_code error;
  int is_at_work = 0;
  file->pMethods->xCheckReservedLock(file, &is_at_work);
  if (why != kHasLog && (is_at_work != 0 || !fs::exists(journal, error))) return false;
  const std::uintmax_t log = fs::file_size(sqlite3_filename_wal(name), error);
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK || size < 0 || size > kLargestCopy ||
      (why == kHasLog && !error && log > 0))
    fail(why);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const int code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
  if (code != SQLITE_OK) fail(code);
  write_file(copy, bytes);
  if (why != kHasLog) write_file(copy.string() + "-journal", read_text_file(journal, kJournalFile));
  return true;
}

// If the file was deleted, SQLite would continue to write to it, and would put its journal beside
// the file that replaced it. SQLite compares the file's number alone, which another file system
// that was mounted over the folder may have, too.
void Database::require_same() {
  const auto refuse = [this](const std::string& what) {
    throw broken_machine("database '{}' {}", file_.string(), what);
  };
  struct stat facts {};
  const int failed = ::stat(absolute_.c_str(), &facts) == 0 ? 0 : errno;
  if (failed == ENOENT || failed == ENOTDIR) refuse("was deleted while in use");
  if (failed != 0) refuse(fmt::format("cannot be reached: {}", std::strerror(failed)));
  int has_moved = 0;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  const char* const opened = sqlite3_db_filename(handle_.get(), "main");
  std::error_code ignored;
  if (has_moved != 0 || facts.st_dev != device_ || !fs::equivalent(absolute_, opened, ignored))
    refuse("was replaced while in use");
  const bool is_empty = size_of(file_of(handle_.get())) == 0;
  if (was_filled_ && is_empty) refuse("was emptied while in use");
  was_filled_ = !is_empty;
}

// Through SQLite's own descriptor, because closing another one would release its locks.
std::optional<std::int64_t> Database::cut_at() const {
  sqlite3_file* const file = file_of(handle_.get());
  if (file == nullptr) return std::nullopt;
  std::array<char, kSqliteHeader> header{};  // a shorter file gives zeros
  file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
  const std::int64_t size = size_of(file);
  const bool is_cut = size < size_by_header({header.data(), header.size()});
  return is_cut ? std::optional(size) : std::nullopt;
}

void Database::require_whole() const {
  if (cut_at()) fail(SQLITE_CORRUPT);
}

// SQLite's message may quote what the file contains.
void Database::fail(int code) const {
  const int kind = code & 0xff;
  if (const auto end = cut_at(); end && (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB))
    throw broken_machine(
        "database '{}' is damaged: it was cut and ends at byte {}, before its last page",
        file_.string(), *end);
  // If the folder is deleted during a transaction, its journal cannot be deleted at the end.
  std::error_code ignored;
  if (kind == SQLITE_IOERR && fs::status(absolute_, ignored).type() == fs::file_type::not_found)
    code = SQLITE_READONLY_DBMOVED;
  const char* message = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  throw MachineError(sqlite_sentence(code, file_, patience_->limit, visible_line(message)));
}

void Database::fail_on_row(std::string_view what) const {
  throw BadRow(
      fmt::format("database '{}' holds a row that cannot be used: {}", file_.string(), what));
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::run(std::string_view sql, const std::vector<Cell>& cells) {
  Statement(*this, sql, cells).run();
}

std::int64_t Database::integer(const std::string& sql, const std::vector<Cell>& cells) {
  Statement statement(*this, sql, cells);
  statement.step();
  return statement.integer(0);
}

std::string Database::text(const std::string& sql) {
  Statement statement(*this, sql);
  statement.step();
  return statement.text(0);
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  if (kind == Kind::writing) {
    database_.patience_->let_others_in();
    database_.require_same();
  }
  database_.execute(kind == Kind::writing ? "BEGIN IMMEDIATE" : "BEGIN");
}

// On some errors SQLite has already ended the transaction. If the rollback fails, it leaves a
// journal, which the next connection rolls back.
Transaction::~Transaction() {
  if (sqlite3_get_autocommit(database_.handle_.get()) == 0)
    sqlite3_exec(database_.handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  database_.patience_->last_transaction_end = std::chrono::steady_clock::now();
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace tilewright
