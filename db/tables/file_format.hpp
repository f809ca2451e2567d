#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

// What SQLite's files consist of: https://sqlite.org/fileformat2.html.

inline constexpr std::size_t kSqliteHeader = 32;  // bytes of a database's header that are used here

// How many bytes a database has at least, by its header. 0 if it is something else.
std::int64_t size_by_header(std::string_view header);

// A rollback journal that names a super-journal ends with these bytes. SQLite deletes the file that
// it names.
inline constexpr std::string_view kJournalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

// Makes `database`, the bytes of the file, what it was before the transaction of `journal`. A
// damaged or unfinished record ends the journal, as in SQLite. Returns false, and leaves `database`
// unusable, if it was larger than `most` bytes.
[[nodiscard]] bool roll_back(std::string& database, std::string_view journal, std::size_t most);

}  // namespace tilewright
