#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tilewright/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tilewright {

// A value for a statement's parameter. NaN is stored as NULL.
using Cell = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

struct Patience;

// One row that cannot be parsed, or whose numbers no measurement can give. Readers of several rows
// leave it out.
class BadRow : public MachineError {
 public:
  using MachineError::MachineError;
};

// One connection to one SQLite file, which may come from anybody. On failure every call throws
// MachineError with one sentence that names the file. Not thread-safe. Must not be used after
// fork().
//
// A damaged file may have more rows than bytes, and one cell that all rows repeat may take all
// memory. So a connection has an allowance of work and of texts, in proportion to the size of the
// file; with more than that, calls throw.
class Database {
 public:
  enum class Mode { read_only, read_write };

  // read_only changes, creates and deletes no file. read_write creates a missing file, but not its
  // folder. Both refuse a journal that names a super-journal, and what is not a regular file beside
  // the database. `patience` is how long to wait for another process's lock.
  Database(std::filesystem::path file, Mode mode, std::chrono::milliseconds patience);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // One or several statements without results.
  void execute(const std::string& sql);
  // One statement without results.
  void run(std::string_view sql, const std::vector<Cell>& cells = {});
  // First column of the first row; REQUIRES a row.
  std::int64_t integer(const std::string& sql, const std::vector<Cell>& cells = {});
  std::string text(const std::string& sql);

  std::int64_t last_insert_id() const;
  Mode mode() const { return mode_; }
  // Whether it reads a copy, which sees no changes: of what a file was before a killed writer's
  // transaction, or of one with an empty write-ahead log.
  bool is_copy() const { return is_copy_; }
  const std::filesystem::path& file() const { return file_; }

  // The file's schema is known to be ours. Until then cells have at most 128 KiB, LIKE and GLOB
  // fail, because one can take minutes, and all that happens has 1 s of this thread's processor
  // time, because SQLite reads tables of its own before any query. The second begins where SQLite
  // reads the schema, after it has rolled back what a killed process left. From now on only
  // read_only has an allowance, which begins anew.
  void trust_schema();
  // Begins the allowance anew: for each question to a connection that is asked many.
  void renew_allowance();

  // Throws if the file has fewer bytes than its header says. REQUIRES a Transaction that has read,
  // because a file that another process changes may be so.
  void require_whole() const;

  // Throws BadRow.
  [[noreturn]] void fail_on_row(std::string_view what) const;
  // Tells `listener` of each row that is left out; by default nobody is told.
  void tell_of_bad_rows(std::function<void(const std::string&)> listener) {
    listener_ = std::move(listener);
  }
  void leave_out(const BadRow& row) const {
    if (listener_) listener_(row.what());
  }

 private:
  friend class Statement;
  friend class Transaction;

  [[noreturn]] void fail(int code) const;
  // Takes something from the allowance, and throws if it is used up.
  void spend(std::size_t bytes);
  // Where the file ends, if that is earlier than its header says.
  std::optional<std::int64_t> cut_at() const;
  void connect(const std::string& path);
  void begin_reading();
  bool connect_to_copy(int why);
  bool copy_to(const std::filesystem::path& copy, int why) const;
  // Throws if the path no longer leads to the file that was opened, or that was emptied since.
  void require_same();

  std::filesystem::path file_;
  std::filesystem::path absolute_;
  Mode mode_;
  std::unique_ptr<Patience> patience_;
  bool is_copy_ = false;
  bool was_filled_ = false;
  dev_t device_ = 0;  // of the file
  bool is_schema_ours_ = false;
  std::chrono::nanoseconds opened_ = {};  // by the thread's clock; 0: not yet
  std::int64_t steps_left_ = 0;           // of SQLite's machine
  std::int64_t bytes_left_ = 0;           // of rows
  std::function<void(const std::string&)> listener_;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// One prepared statement. Parameters are numbered from 1, columns from 0. Must not outlive its
// Database.
class Statement {
 public:
  Statement(Database& database, std::string_view sql, const std::vector<Cell>& cells = {});

  void bind(const std::vector<Cell>& cells);  // all parameters, in order
  // Returns whether there is a row to read.
  bool step();
  // Steps to the end, for statements without results.
  void run();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;  // NULL reads as NaN
  std::string text(int column) const;

  const Database& database() const { return database_; }

 private:
  void bind(int index, const Cell& cell);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Reads the columns of the present row from left to right.
class Columns {
 public:
  explicit Columns(const Statement& row) : row_(row) {}

  bool next_is_null() const { return row_.is_null(next_); }
  void skip(int count) { next_ += count; }
  std::int64_t integer() { return row_.integer(next_++); }
  double real() { return row_.real(next_++); }
  std::string text() { return row_.text(next_++); }
  const Database& database() const { return row_.database(); }

 private:
  const Statement& row_;
  int next_ = 0;
};

// A writing one is BEGIN IMMEDIATE … COMMIT; it rolls back unless committed, and throws
// MachineError if the file is not the one that was opened. A reading one sees the file as it is at
// its first statement.
class [[nodiscard]] Transaction {
 public:
  enum class Kind { reading, writing };
  explicit Transaction(Database& database, Kind kind = Kind::writing);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
};

// How every database begins.
inline constexpr std::string_view kSqliteHead("SQLite format 3\0", 16);
// Whether it is a regular file that begins so. Throws InputError if it cannot be read.
bool is_sqlite_file(const std::filesystem::path& file);

// SQLite's version, for --version.
std::string sqlite_version();

}  // namespace tilewright
