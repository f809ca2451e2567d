#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tilewright {

// What SQLite may do with files, and what it says of them.

// Codes of our own, which SQLite passes on.
inline constexpr int kNamesSuperJournal = SQLITE_CANTOPEN | 100 << 8;
inline constexpr int kNotRegular = SQLITE_CANTOPEN | 101 << 8;
inline constexpr int kHasLog = SQLITE_CANTOPEN | 102 << 8;

// SQLite uses the files that it finds beside a database, whoever put them there. These two names
// are for sqlite3_open_v2(): both refuse a journal that names a super-journal, and what is not a
// regular file beside the database. The one for connections that read deletes nothing, and refuses
// a write-ahead log.
const char* access_for_reading();
const char* access_for_writing();

// SQLite's error code as one sentence about `file`.
std::string sqlite_sentence(int extended_code, const std::filesystem::path& file,
                            std::chrono::milliseconds patience, std::string_view detail);

inline constexpr std::size_t kSqliteHeader = 32;  // bytes of a database's header that are used here

// How many bytes a database has at least, by its header (https://sqlite.org/fileformat2.html). 0 if
// it is something else.
std::int64_t size_by_header(std::string_view header);

}  // namespace tilewright
