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

}  // namespace
}  // namespace tilewright::fuzz
