#include "db/tables/file_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "db/tables/sqlite.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kHeaderSize = 28;        // of which the rest of its sector is padding
constexpr std::size_t kLockByte = 0x40000000;  // the page with it is never written
constexpr std::uint32_t kAllThatFollow = 0xffffffff;

// Big-endian. REQUIRES 4 bytes there.
std::uint32_t number_at(std::string_view bytes, std::size_t place) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(place, 4))
    number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

struct Header {
  std::uint32_t records = 0;
  std::uint32_t nonce = 0;
  std::uint32_t pages = 0;  // of the database before the transaction
  std::size_t sector = 0;
  std::size_t page = 0;
};

bool is_size(std::size_t bytes, std::size_t least) {
  return std::has_single_bit(bytes) && bytes >= least && bytes <= 65536;
}

std::optional<Header> header_at(std::string_view journal, std::size_t place) {
  if (journal.size() < kHeaderSize || place > journal.size() - kHeaderSize) return std::nullopt;
  const std::string_view bytes = journal.substr(place);
  if (!bytes.starts_with(kJournalMagic)) return std::nullopt;
  const Header header{number_at(bytes, 8), number_at(bytes, 12), number_at(bytes, 16),
                      number_at(bytes, 20), number_at(bytes, 24)};
  if (!is_size(header.sector, 32) || !is_size(header.page, 512) || bytes.size() < header.sector)
    return std::nullopt;
  return header;
}

// SQLite adds up every 200th byte, from the end.
std::uint32_t checksum(std::string_view page, std::uint32_t nonce) {
  for (std::size_t i = page.size() - 200; i > 0 && i < page.size(); i -= 200)
    nonce += static_cast<unsigned char>(page[i]);
  return nonce;
}

// Returns false at the end of what is whole.
bool put_back(std::string& database, std::string_view record, const Header& first,
              std::uint32_t nonce) {
  if (record.size() < first.page + 8) return false;
  const std::size_t number = number_at(record, 0);
  const std::string_view page = record.substr(4, first.page);
  if (number == 0 || number == kLockByte / first.page + 1) return false;
  if (number > first.pages) return true;
  if (checksum(page, nonce) != number_at(record, first.page + 4)) return false;
  std::ranges::copy(page,
                    database.begin() + static_cast<std::ptrdiff_t>((number - 1) * first.page));
  return true;
}

}  // namespace

bool is_sqlite_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
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

bool roll_back(std::string& database, std::string_view journal, std::size_t most) {
  const std::optional<Header> first = header_at(journal, 0);
  if (!first) return true;
  if (std::uint64_t{first->pages} * first->page > most) return false;
  database.resize(first->pages * first->page);
  const std::size_t record = first->page + 8;
  std::size_t place = 0;
  for (;;) {
    const std::optional<Header> header = header_at(journal, place);
    if (!header || header->sector != first->sector) return true;
    place += first->sector;
    const std::size_t held = (journal.size() - place) / record;
    const std::size_t count =
        header->records == kAllThatFollow ? held : std::min<std::size_t>(header->records, held + 1);
    for (std::size_t i = 0; i < count; ++i, place += record)
      if (!put_back(database, journal.substr(place), *first, header->nonce)) return true;
    place = (place + first->sector - 1) / first->sector * first->sector;
  }
}

}  // namespace tilewright
