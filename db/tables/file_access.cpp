#include "db/tables/file_access.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "db/tables/sqlite.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

// A rollback journal that names a super-journal ends with these bytes. SQLite deletes the file that
// it names.
constexpr std::string_view kJournalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

// Stands before SQLite's own access to files.
struct FileAccess {
  static FileAccess& instance() {
    static FileAccess& access = *new FileAccess;
    return access;
  }

  FileAccess() : system(sqlite3_vfs_find(nullptr)), reading(*system), writing(*system) {
    reading.zName = "tilewright-reading";
    reading.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_OK; };
    writing.zName = "tilewright-writing";
    for (sqlite3_vfs* one : {&reading, &writing}) {
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
    if ((flags & SQLITE_OPEN_WAL) != 0 && self == &instance().reading) return kHasLog;
    if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) return kNamesSuperJournal;
    sqlite3_vfs* system = instance().system;
    const int code = system->xOpen(system, name, file, flags, got);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_JOURNAL) == 0 || !names_super_journal(file))
      return code;
    file->pMethods->xClose(file);
    file->pMethods = nullptr;
    return kNamesSuperJournal;
  }

  sqlite3_vfs* system;
  sqlite3_vfs reading;
  sqlite3_vfs writing;
};

// Big-endian. REQUIRES 4 bytes there.
std::uint32_t number_at(std::string_view bytes, std::size_t place) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(place, 4))
    number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

}  // namespace

const char* access_for_reading() {
  return FileAccess::instance().reading.zName;
}

const char* access_for_writing() {
  return FileAccess::instance().writing.zName;
}

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
    case SQLITE_INTERRUPT:
      return name + " is damaged: it takes more work to read than a file of its size can need";
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

bool is_sqlite_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::array<std::uint8_t, kSqliteHead.size()> head{};
  read_beginning(file, head);
  return std::memcmp(head.data(), kSqliteHead.data(), head.size()) == 0;
}

std::int64_t size_by_header(std::string_view header) {
  if (header.size() < kSqliteHeader || !header.starts_with(kSqliteHead)) return 0;
  const std::int64_t page = number_at(header, 16) >> 16;  // 1 stands for 65536
  const std::int64_t size = (page == 1 ? 65536 : page) * number_at(header, 28);
  return std::max(size, static_cast<std::int64_t>(kSqliteHeader));
}

}  // namespace tilewright
