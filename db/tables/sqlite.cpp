#include "db/tables/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {

namespace fs = std::filesystem;

struct Database::Patience {
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

// Checks that a path still leads to the file that was opened there. If the file was deleted, SQLite
// would continue to write to it, and would put its journal beside the file that replaced it.
class Database::FileWatch {
 public:
  // Remembers the present file. `file` is also its name in messages.
  explicit FileWatch(const fs::path& file)
      : name_(file.string()), absolute_(fs::absolute(file)), last_(status()) {}

  // Throws MachineError if it was deleted, replaced or emptied since.
  void require_same() {
    const struct stat now = status();
    if (now.st_dev != last_.st_dev || now.st_ino != last_.st_ino)
      throw MachineError(fmt::format("database '{}' was replaced while in use", name_));
    if (last_.st_size > 0 && now.st_size == 0)
      throw MachineError(fmt::format("database '{}' was emptied while in use", name_));
    last_ = now;
  }

 private:
  struct stat status() const {
    struct stat status {};
    if (::stat(absolute_.c_str(), &status) == 0) return status;
    if (errno == ENOENT || errno == ENOTDIR)
      throw MachineError(fmt::format("database '{}' was deleted while in use", name_));
    throw MachineError(
        fmt::format("database '{}' cannot be reached: {}", name_, std::strerror(errno)));
  }

  std::string name_;
  fs::path absolute_;
  struct stat last_;
};

std::string sqlite_sentence(int extended_code, const fs::path& file,
                            std::chrono::milliseconds patience, std::string_view detail) {
  const std::string name = fmt::format("database '{}'", file.string());
  if (extended_code == SQLITE_READONLY_DBMOVED)
    return name + " was moved, replaced or deleted while in use";
  if (extended_code == SQLITE_READONLY_ROLLBACK)
    return name + " was left unfinished by a killed process: open it once for writing";
  switch (extended_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("{} was locked by another process for more than {} s", name,
                         static_cast<double>(patience.count()) / 1000);
    case SQLITE_FULL:
      return name + " cannot grow: the disk is full";
    case SQLITE_READONLY:
      return name + " cannot be written: the file or its folder is read-only";
    case SQLITE_CORRUPT:
      return fmt::format("{} is damaged ({})", name, detail);
    case SQLITE_NOTADB:
      return fmt::format("'{}' is not an SQLite database", file.string());
    case SQLITE_CONSTRAINT:
      return fmt::format("{} cannot hold a row that contradicts itself or another row ({})", name,
                         detail);
    case SQLITE_CANTOPEN:
      return fmt::format("{} cannot be opened ({})", name, detail);
    case SQLITE_IOERR:
      return fmt::format("{} cannot be read or written ({}, code {})", name, detail, extended_code);
    default:
      return fmt::format("{} cannot be used ({}, code {})", name, detail, extended_code);
  }
}

namespace {

constexpr int kLongestCell = 256 << 20;  // bytes, also of a row

// The file may come from anybody: its schema may not call functions that have effects, and no cell
// may take all memory.
void distrust(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestCell);
}

}  // namespace

Database::Database(fs::path file, Mode mode, std::chrono::milliseconds patience)
    : file_(std::move(file)),
      mode_(mode),
      patience_(std::make_unique<Patience>(
          Patience{patience, {}, static_cast<std::uint32_t>(::getpid()) * 2654435761U})) {
  std::error_code ignored;
  if (fs::is_directory(file_, ignored))
    throw MachineError(fmt::format("database '{}' is a directory", file_.string()));
  if (mode == Mode::read_only && !fs::exists(file_, ignored))
    throw MachineError(fmt::format("database '{}' does not exist", file_.string()));
  if (fs::exists(file_, ignored) && !fs::is_regular_file(file_, ignored))
    throw MachineError(fmt::format("database '{}' is not a regular file", file_.string()));
  // An absolute path cannot be a URI or ":memory:".
  const std::string path = fs::absolute(file_).string();
  const int flags =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail(handle_ ? sqlite3_extended_errcode(handle_) : code);
    sqlite3_extended_result_codes(handle_, 1);
    distrust(handle_);
    sqlite3_busy_handler(handle_, &Patience::wait, patience_.get());
    // Without permission to write, SQLite opens the file read-only.
    if (mode == Mode::read_write && sqlite3_db_readonly(handle_, "main") == 1)
      fail(SQLITE_READONLY);
    watch_ = std::make_unique<FileWatch>(file_);
  } catch (...) {
    sqlite3_close_v2(handle_);
    throw;
  }
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

// Through SQLite's own descriptor, because closing another one would release its locks.
std::optional<std::int64_t> Database::cut_at() const {
  sqlite3_file* file = nullptr;
  if (handle_ != nullptr) sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr) return std::nullopt;
  constexpr std::size_t kPageSize = 16, kPageCount = 28;  // places in the header, big-endian
  std::array<std::uint8_t, kPageCount + 4> head{};        // a shorter file gives zeros
  sqlite3_int64 size = 0;
  file->pMethods->xFileSize(file, &size);
  file->pMethods->xRead(file, head.data(), static_cast<int>(head.size()), 0);
  if (!std::equal(kSqliteHead.begin(), kSqliteHead.end(), head.begin())) return std::nullopt;
  const auto number = [&head](std::size_t at, std::size_t bytes) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + bytes; ++i) value = value << 8 | head.at(i);
    return value;
  };
  const std::int64_t page_size = number(kPageSize, 2);  // 1 stands for 65536
  const std::int64_t whole = (page_size == 1 ? 65536 : page_size) * number(kPageCount, 4);
  const bool is_cut = size < whole || size < static_cast<std::int64_t>(head.size());
  return is_cut ? std::optional<std::int64_t>(size) : std::nullopt;
}

void Database::require_whole() const {
  if (cut_at()) fail(SQLITE_CORRUPT);
}

// SQLite's message may quote what the file contains.
void Database::fail(int code) const {
  const int kind = code & 0xff;
  if (const auto end = cut_at(); end && (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB))
    throw MachineError(fmt::format(
        "database '{}' is damaged: it was cut and ends at byte {}, before its last page",
        file_.string(), *end));
  const char* message = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  throw MachineError(sqlite_sentence(code, file_, patience_->limit, visible_line(message)));
}

void Database::fail_on_row(std::string_view what) const {
  throw BadRow(
      fmt::format("database '{}' holds a row that cannot be used: {}", file_.string(), what));
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  statement.step();
  return statement.integer(0);
}

std::string Database::text(const std::string& sql) {
  Statement statement(*this, sql);
  statement.step();
  return statement.text(0);
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_);
}

Statement::Statement(Database& database, std::string_view sql, const std::vector<Cell>& cells)
    : database_(database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database_.handle_, sql.data(), static_cast<int>(sql.size()),
                                      &handle, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) database_.fail(code);
  bind(cells);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::bind(const std::vector<Cell>& cells) {
  sqlite3_reset(handle_.get());
  int index = 0;
  for (const Cell& cell : cells) bind(++index, cell);
}

void Statement::bind(int index, const Cell& cell) {
  int code = SQLITE_OK;
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    code = sqlite3_bind_int64(handle_.get(), index, *number);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    code = sqlite3_bind_double(handle_.get(), index, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    code = sqlite3_bind_text64(handle_.get(), index, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  } else {
    code = sqlite3_bind_null(handle_.get(), index);
  }
  if (code != SQLITE_OK) database_.fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_.fail(code);
}

void Statement::run() {
  while (step()) {
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const {
  if (is_null(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.patience_->let_others_in();
  database_.watch_->require_same();
  database_.execute("BEGIN IMMEDIATE");
}

// On some errors SQLite has already ended the transaction. If the rollback fails, it leaves a
// journal, which the next connection rolls back.
Transaction::~Transaction() {
  if (sqlite3_get_autocommit(database_.handle_) == 0)
    sqlite3_exec(database_.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  database_.patience_->last_transaction_end = std::chrono::steady_clock::now();
}

void Transaction::commit() {
  database_.execute("COMMIT");
}

bool is_sqlite_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::array<std::uint8_t, kSqliteHead.size()> head{};
  read_beginning(file, head);
  return std::memcmp(head.data(), kSqliteHead.data(), head.size()) == 0;
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace tilewright
