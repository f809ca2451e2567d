#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tests/fuzz/foreign_database.hpp"

namespace tilewright::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kDatabases = 2000;
constexpr std::chrono::seconds kLongest{10};

std::map<fs::path, std::string> files_in(const fs::path& folder) {
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path()] = test::read_file(entry.path());
  return files;
}

// Each has SQL of another's, changed bytes, or both.
TEST(ForeignDatabases, AreReadWithoutCrashHangOrWriting) {
  const test::Folder folder;
  write_sound_database(folder / "sound.db");
  const std::string sound = test::read_file(folder / "sound.db");
  ASSERT_TRUE(read_all(folder / "sound.db"));
  const fs::path file = folder / "foreign.db";
  Random random(20240229);
  int accepted = 0;
  for (int i = 0; i < kDatabases; ++i) {
    SCOPED_TRACE(i);
    for (const char* beside : {"-journal", "-wal", "-shm"}) fs::remove(file.string() + beside);
    test::write_file(file, sound);
    if (i % 3 != 0) plant_sql(file, random);
    std::string bytes = test::read_file(file);
    if (i % 3 != 1)
      for (std::size_t times = 1 + below(random, 4); times > 0; --times)
        change_bytes(bytes, random);
    test::write_file(file, bytes);
    const auto before = files_in(folder.path());
    const auto start = std::chrono::steady_clock::now();
    accepted += read_all(file);
    ASSERT_LT(std::chrono::steady_clock::now() - start, kLongest);
    ASSERT_TRUE(files_in(folder.path()) == before);
  }
  // The changes neither spoil every file nor go unnoticed.
  EXPECT_GT(accepted, kDatabases / 10);
  EXPECT_LT(accepted, kDatabases * 9 / 10);
}

// SQLite reads this table of its own before any query, and may compute its columns.
TEST(ForeignDatabases, StatisticsThatTakeMinutesAreGivenUp) {
  const test::Folder folder;
  const fs::path file = folder / "foreign.db";
  write_sound_database(file);
  Database(file, Database::Mode::read_write, std::chrono::milliseconds(0))
      .execute(
          "CREATE TABLE sqlXte_stat1 (tbl, idx, junk, stat AS (instr(zeroblob(00010 + idx % 2), "
          "zeroblob(00005) || x'01'))); INSERT INTO sqlXte_stat1 WITH RECURSIVE n (i) AS (SELECT 1 "
          "UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT 'trial', i, 1 FROM n");
  std::string bytes = test::read_file(file);
  const std::map<std::string, std::string> changes = {
      {"sqlXte", "sqlite"}, {"00010", "60000"}, {"00005", "30000"}};
  for (const auto& [before, after] : changes)
    for (std::size_t at = 0; (at = bytes.find(before, at)) != std::string::npos;)
      bytes.replace(at, before.size(), after);
  test::write_file(file, bytes);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(read_all(file));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLongest);
}

// 15 pages, each with 40 times the next one for a child: 40 to the 15th rows.
TEST(ForeignDatabases, ATableOfMoreRowsThanBytesEnds) {
  constexpr std::size_t kPage = 512;
  const auto number = [](std::size_t value, int size) {
    std::string text;
    while (--size >= 0) text += static_cast<char>(value >> 8 * size & 0xff);
    return text;
  };
  const test::Folder folder;
  const fs::path file = folder / "foreign.db";
  write_sound_database(file);
  const auto root = static_cast<std::size_t>(
      Database(file, Database::Mode::read_only, std::chrono::milliseconds(0))
          .integer("SELECT rootpage FROM sqlite_master WHERE name = 'wanted'") -
      1);
  std::string bytes = test::read_file(file);
  ASSERT_EQ(bytes[root * kPage], '\x0a');  // a leaf of an index
  bytes += bytes.substr(root * kPage, kPage);
  std::size_t child = bytes.size() / kPage;
  for (int level = 0; level < 15; ++level) {
    constexpr std::size_t kCells = 40;
    constexpr std::size_t kCell = 8;
    std::string page = '\x02' + number(0, 2) + number(kCells, 2) +
                       number(kPage - kCells * kCell, 2) + '\0' + number(child, 4);
    for (std::size_t i = kCells; i > 0; --i) page += number(kPage - i * kCell, 2);
    page.resize(kPage - kCells * kCell);
    // A child, and a row of one integer.
    for (std::size_t i = 0; i < kCells; ++i)
      page += number(child, 4) + std::string("\x02\x02\x08\0", 4);
    if (level == 14)
      bytes.replace(root * kPage, kPage, page);
    else
      bytes += page;
    child = bytes.size() / kPage;
  }
  bytes.replace(28, 4, number(bytes.size() / kPage, 4));
  test::write_file(file, bytes);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(read_all(file));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLongest);
}

}  // namespace
}  // namespace tilewright::fuzz
