#include "db/tables/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <utility>

#include "db/tables/file_format.hpp"
#include "db/tables/file_watch.hpp"
#include "db/tables/patience.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

// Codes of our own, which SQLite passes on.
constexpr int kNamesSuperJournal = SQLITE_CANTOPEN | 100 << 8;
constexpr int kNotRegular = SQLITE_CANTOPEN | 101 << 8;
constexpr int kHasLog = SQLITE_CANTOPEN | 102 << 8;

}  // namespace

std::string sqlite_sentence(int extended_code, const fs::path& file,
                            std::chrono::milliseconds patience, std::string_view detail) {
  const std::string name = fmt::format("database '{}'", file.string());
  if (extended_code == SQLITE_READONLY_DBMOVED)
    return name + " was moved, replaced or deleted while in use";
  if (extended_code == SQLITE_READONLY_ROLLBACK)
    return name +
           " was left unfinished by a killed process: open it once for writing, as a sweep does";
  if (extended_code == kNamesSuperJournal)
    return fmt::format(
        "{} cannot be opened: its journal, '{}-journal', names a file for SQLite to delete, which "
        "those of tilewright never do: remove the journal",
        name, file.string());
  if (extended_code == kNotRegular)
    return fmt::format("{} cannot be opened: '{}-journal' or '{}-wal' is not a regular file", name,
                       file.string(), file.string());
  if (extended_code == kHasLog)
    return fmt::format(
        "{} was changed by another program, and the changes are still in '{}-wal': close that "
        "program, or open the database once for writing, as a sweep does",
        name, file.string());
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
constexpr FileLimit kJournalFile = {"a database's journal", 256};
constexpr std::int64_t kLargestCopy = 256 << 20;

std::string read_journal(const fs::path& journal) {
  try {
    return read_text_file(journal, kJournalFile);
  } catch (const InputError& error) {
    throw MachineError(error.what());
  }
}

// The file may come from anybody: its schema may not call functions that have effects, and no cell
// may take all memory.
void distrust(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestCell);
}

// SQLite uses the files that it finds beside a database, whoever put them there. These two stand
// before its own access to files: one for connections that read, one for those that write.
class FileAccess {
 public:
  static FileAccess& instance() {
    static FileAccess access;
    return access;
  }
  ~FileAccess() {
    for (sqlite3_vfs* one : {&reading_, &writing_}) sqlite3_vfs_unregister(one);
  }
  FileAccess(const FileAccess&) = delete;
  FileAccess& operator=(const FileAccess&) = delete;

  const char* name(Database::Mode mode) const {
    return mode == Database::Mode::read_only ? reading_.zName : writing_.zName;
  }

 private:
  FileAccess() : system_(sqlite3_vfs_find(nullptr)), reading_(*system_), writing_(*system_) {
    reading_.zName = "tilewright-reading";
    reading_.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_OK; };
    writing_.zName = "tilewright-writing";
    for (sqlite3_vfs* one : {&reading_, &writing_}) {
      one->xOpen = open;
      sqlite3_vfs_register(one, 0);
    }
  }

  static bool names_super_journal(sqlite3_file* journal) {
    std::array<char, kJournalMagic.size()> end{};
    sqlite3_int64 size = 0;
    constexpr auto kSize = static_cast<int>(end.size());
    return journal->pMethods->xFileSize(journal, &size) == SQLITE_OK && size >= kSize &&
           journal->pMethods->xRead(journal, end.data(), kSize, size - kSize) == SQLITE_OK &&
           std::string_view(end.data(), end.size()) == kJournalMagic;
  }

  static int open(sqlite3_vfs* self, const char* name, sqlite3_file* file, int flags, int* got) {
    file->pMethods = nullptr;
    struct stat facts {};
    const bool is_beside = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
    if (is_beside && ::lstat(name, &facts) == 0 && !S_ISREG(facts.st_mode)) return kNotRegular;
    if ((flags & SQLITE_OPEN_WAL) != 0 && self == &instance().reading_) return kHasLog;
    if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) return kNamesSuperJournal;
    sqlite3_vfs* system = instance().system_;
    const int code = system->xOpen(system, name, file, flags, got);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_JOURNAL) == 0 || !names_super_journal(file))
      return code;
    file->pMethods->xClose(file);
    file->pMethods = nullptr;
    return kNamesSuperJournal;
  }

  sqlite3_vfs* system_;
  sqlite3_vfs reading_;
  sqlite3_vfs writing_;
};

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
  connect(fs::absolute(file_).string());  // which cannot be a URI or ":memory:"
  // Without permission to write, SQLite opens the file read-only.
  if (mode == Mode::read_write && sqlite3_db_readonly(handle_.get(), "main") == 1)
    fail(SQLITE_READONLY);
  if (mode == Mode::read_only) begin_reading();
  watch_ = std::make_unique<FileWatch>(file_);
}

Database::~Database() = default;

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void Database::connect(const std::string& path) {
  const int flags =
      mode_ == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, flags, FileAccess::instance().name(mode_));
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(handle ? sqlite3_extended_errcode(handle) : code);
  sqlite3_extended_result_codes(handle, 1);
  distrust(handle);
  sqlite3_busy_handler(handle, &Patience::wait, patience_.get());
}

// Only a connection for writing may roll back what a killed process left, or use a write-ahead log.
void Database::begin_reading() {
  for (int attempt = 0;; ++attempt) {
    const int code = sqlite3_exec(handle_.get(), "PRAGMA user_version", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if (code != SQLITE_READONLY_ROLLBACK && code != kHasLog) fail(code);
    read_copy(code);
    if (copy_) return connect_to_copy();
    if (Patience::wait(patience_.get(), attempt) == 0) fail(code);
  }
}

void Database::connect_to_copy() {
  connect(":memory:");
  const auto size = static_cast<sqlite3_int64>(copy_->size());
  const int code =
      sqlite3_deserialize(handle_.get(), "main", reinterpret_cast<unsigned char*>(copy_->data()),
                          size, size, SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) fail(code);
}

// Puts the bytes of the file before the killed transaction into copy_. Leaves it empty if another
// process is at work, so that reading may succeed next time.
void Database::read_copy(int why) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file->pMethods->xLock(file, SQLITE_LOCK_SHARED) != SQLITE_OK) return;
  const auto unlock = [](sqlite3_file* held) { held->pMethods->xUnlock(held, SQLITE_LOCK_NONE); };
  const std::unique_ptr<sqlite3_file, decltype(unlock)> lock(file);

  const char* name = sqlite3_db_filename(handle_.get(), "main");
  const fs::path journal = sqlite3_filename_journal(name);
  std::error_code error;
  int is_at_work = 0;
  file->pMethods->xCheckReservedLock(file, &is_at_work);
  if (why != kHasLog && (is_at_work != 0 || !fs::exists(journal, error))) return;
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK || size > kLargestCopy) fail(why);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const int code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(size), 0);
  if (code != SQLITE_OK) fail(code);
  if (why != kHasLog) {
    if (!roll_back(bytes, read_journal(journal), kLargestCopy)) fail(why);
  } else {
    const std::uintmax_t log = fs::file_size(sqlite3_filename_wal(name), error);
    constexpr std::size_t kVersions = 18;  // two bytes, 1 where there is no log
    if ((!error && log > 0) || bytes.size() < kVersions + 2) fail(why);
    bytes.replace(kVersions, 2, "\1\1");
  }
  copy_ = std::move(bytes);
}

// Through SQLite's own descriptor, because closing another one would release its locks.
std::optional<std::int64_t> Database::cut_at() const {
  sqlite3_file* file = nullptr;
  if (handle_) sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr) return std::nullopt;
  std::array<char, kSqliteHeader> header{};  // a shorter file gives zeros
  sqlite3_int64 size = 0;
  file->pMethods->xFileSize(file, &size);
  file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
  const bool is_cut = size < size_by_header({header.data(), header.size()});
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
  return sqlite3_last_insert_rowid(handle_.get());
}

Statement::Statement(Database& database, std::string_view sql, const std::vector<Cell>& cells)
    : database_(database) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database_.handle_.get(), sql.data(),
                                      static_cast<int>(sql.size()), &handle, nullptr);
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

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  if (kind == Kind::writing) {
    database_.patience_->let_others_in();
    database_.watch_->require_same();
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

void Transaction::commit() {
  database_.execute("COMMIT");
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace tilewright
