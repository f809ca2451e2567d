// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::testing {
namespace {

class BadDatabase : public ::testing::Test {
 protected:
  // Status 3, the file named, nothing on standard output.
  void expect_refused(const std::filesystem::path& file) const {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"results"}, {"export"}, {"best", "gemm"}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--db", file.string()});
      const Finished finished = run_tilewright(home_.path(), all);
      EXPECT_EQ(finished.status, 3) << words.front() << ": " << finished.err;
      EXPECT_EQ(finished.out, "");
      EXPECT_NE(finished.err.find(file.string()), std::string::npos) << finished.err;
    }
  }
  TemporaryFolder home_;
};

TEST_F(BadDatabase, NotSqlite) {
  write_text(home_ / "text.db", "this is not a database, and it is long enough to be looked at\n" +
                                    std::string(2000, 'x'));
  expect_refused(home_ / "text.db");
}

TEST_F(BadDatabase, AFolder) {
  expect_refused(home_.path());
}

TEST_F(BadDatabase, Truncated) {
  add_sample_sweep(home_ / "whole.db");
  write_text(home_ / "cut.db", content_of(home_ / "whole.db").substr(0, 700));
  expect_refused(home_ / "cut.db");
}

TEST_F(BadDatabase, NewerThanThisProgram) {
  add_sample_sweep(home_ / "newer.db");
  std::string bytes = content_of(home_ / "newer.db");
  bytes[60] = 0x7F;  // user_version, big-endian, in SQLite's header
  write_text(home_ / "newer.db", bytes);
  expect_refused(home_ / "newer.db");
}

TEST_F(BadDatabase, AnotherProgramsDatabase) {
  add_sample_sweep(home_ / "other.db");
  std::string bytes = content_of(home_ / "other.db");
  bytes[68] = 0x01;  // application_id
  bytes[69] = 0x02;
  write_text(home_ / "other.db", bytes);
  expect_refused(home_ / "other.db");
}

TEST_F(BadDatabase, ThatCannotBeCreatedIsRefusedByImport) {
  add_sample_sweep(database_in(home_.path()));
  const std::string file = home_ / "all.json";
  ASSERT_EQ(run_tilewright(home_.path(), {"export", "--output", file}).status, 0);
  const Finished finished =
      run_tilewright(home_.path(), {"import", file, "--db", "/proc/nowhere/x.db"});
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_NE(finished.err.find("/proc/nowhere"), std::string::npos) << finished.err;
}

TEST(DatabasePlace, OptionThenVariableThenDataFolder) {
  const TemporaryFolder home;
  add_sample_sweep(home / "a.db");
  const std::string file = home / "a.json";
  ASSERT_EQ(run_tilewright(home.path(), {"export", "--output", file, "--db", home / "a.db"}).status,
            0);
  run_tilewright(home.path(), {"import", file, "--db", home / "option.db"},
                 {"TILEWRIGHT_DB=" + (home / "variable.db").string()});
  EXPECT_TRUE(std::filesystem::exists(home / "option.db"));
  EXPECT_FALSE(std::filesystem::exists(home / "variable.db"));
  run_tilewright(home.path(), {"import", file},
                 {"TILEWRIGHT_DB=" + (home / "variable.db").string(),
                  "XDG_DATA_HOME=" + (home / "data").string()});
  EXPECT_TRUE(std::filesystem::exists(home / "variable.db"));
  EXPECT_FALSE(std::filesystem::exists(home / "data"));
  run_tilewright(home.path(), {"import", file}, {"XDG_DATA_HOME=" + (home / "data").string()});
  EXPECT_TRUE(std::filesystem::exists(home / "data/tilewright/tilewright.db"));
}

}  // namespace
}  // namespace tilewright::testing
