#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "db/tables/sqlite.hpp"
#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/support/planted_journal.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class BadInputDatabase : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;

  // Status 3, the file and the reason named, nothing on standard output, the file as it was.
  void expect_refused(const fs::path& file, const std::string& reason) const {
    const std::string before = content_of(file);
    for (const Words& words : std::vector<Words>{
             {"results"}, {"export"}, {"best", "gemm"}, {"sweep", manifest_, "--device", "host"}}) {
      expect_unusable(run_tilewright(home_.path(), with_database(words, file)), file, reason);
      EXPECT_EQ(content_of(file), before) << words.front();
    }
  }

  static void expect_unusable(const Finished& finished, const fs::path& file,
                              const std::string& reason) {
    EXPECT_EQ(finished.status, 3) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(file.string()), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  }

  static Words with_database(Words words, const fs::path& file) {
    words.insert(words.end(), {"--db", file.string()});
    return words;
  }

  // The words of a sweep that needs no GPU.
  Words sweep_into(const fs::path& file) const {
    return with_database({"sweep", manifest_, "--device", "host"}, file);
  }

  // No command that opens the file does anything with it, or with what lies beside it.
  void expect_refused_by_all(const fs::path& file, const std::string& reason) const {
    const fs::path own = home_ / "results.db";
    if (!fs::exists(own)) add_sample_sweep(own);
    const std::string others = home_ / "new.db";
    const std::vector<std::string> before = {content_of(own), content_of(file)};
    for (const Words& words :
         std::vector<Words>{{"import", file, "--db", others},
                            {"merge", file, "--into", others},
                            {"report", "-o", home_ / "r.html", "--link", "--from", file},
                            {"diff", file, own},
                            {"replay", file},
                            {"wanted", file, "--into", others},
                            with_database({"wanted"}, file),
                            with_database({"results"}, file),
                            with_database({"export"}, file),
                            with_database({"best", "gemm"}, file),
                            with_database({"fingerprint"}, file),
                            sweep_into(file)}) {
      SCOPED_TRACE(words.front());
      expect_unusable(run_tilewright(home_.path(), words), file, reason);
      EXPECT_EQ((std::vector<std::string>{content_of(own), content_of(file)}), before);
    }
  }

  std::size_t sweeps_in(const fs::path& file) const {
    const Finished list =
        run_tilewright(home_.path(), with_database({"results", "--all", "--json"}, file));
    return nlohmann::json::parse(list.out).at("sweeps").size();
  }

  TemporaryFolder home_;
  TemporaryFolder kernel_;
  std::string manifest_ = write_copy_kernel(kernel_.path());
};

TEST_F(BadInputDatabase, NotSqlite) {
  write_text(home_ / "text.db", "this is not a database, and it is long enough to be looked at\n" +
                                    std::string(2000, 'x'));
  expect_refused(home_ / "text.db", "is not an SQLite database");
}

TEST_F(BadInputDatabase, AFolder) {
  expect_refused(home_.path(), "is a directory");
}

TEST_F(BadInputDatabase, Truncated) {
  add_sample_sweep(home_ / "whole.db");
  write_text(home_ / "cut.db", content_of(home_ / "whole.db").substr(0, 700));
  expect_refused(home_ / "cut.db", "is damaged");
}

TEST_F(BadInputDatabase, NewerThanThisProgram) {
  add_sample_sweep(home_ / "newer.db");
  std::string bytes = content_of(home_ / "newer.db");
  bytes[60] = 0x7F;  // user_version, big-endian, in SQLite's header
  write_text(home_ / "newer.db", bytes);
  expect_refused(home_ / "newer.db", "newer");
}

TEST_F(BadInputDatabase, AnotherProgramsDatabase) {
  add_sample_sweep(home_ / "other.db");
  std::string bytes = content_of(home_ / "other.db");
  bytes[68] = 0x01;  // application_id
  bytes[69] = 0x02;
  write_text(home_ / "other.db", bytes);
  expect_refused(home_ / "other.db", "another program");
}

TEST_F(BadInputDatabase, AReadOnlyOneIsReadButNotWritten) {
  if (!can_drop_privileges()) GTEST_SKIP() << "the administrator may write every file";
  const fs::path file = home_ / "kept.db";
  add_sample_sweep(file);
  const std::string before = content_of(file);
  fs::permissions(file, fs::perms::owner_read);
  const Finished best = run_tilewright_within(
      home_.path(), without_privileges(),
      with_database({"best", "gemm", "M=N=K=512", "--device", "test 9000", "--require", "exact"},
                    file));
  EXPECT_EQ(best.status, 0) << best.err;
  expect_unusable(run_tilewright_within(home_.path(), without_privileges(), sweep_into(file)), file,
                  "read-only");
  EXPECT_EQ(content_of(file), before);
}

// SQLite deletes what the journal beside a database names.
TEST_F(BadInputDatabase, APlantedJournalDeletesNothing) {
  const fs::path own = home_ / "results.db";
  const fs::path file = home_ / "downloaded.db";
  for (const fs::path& one : {own, file}) add_sample_sweep(one);
  plant_journal(file, own);
  expect_refused_by_all(file, "names a file for SQLite to delete");
}

TEST_F(BadInputDatabase, APipeOrALinkBesideItIsNotOpened) {
  const fs::path file = home_ / "downloaded.db";
  add_sample_sweep(file);
  ASSERT_EQ(mkfifo((file.string() + "-journal").c_str(), 0600), 0);
  expect_refused_by_all(file, "is not a regular file");
  fs::remove(file.string() + "-journal");
  fs::create_symlink(home_ / "results.db", file.string() + "-journal");
  expect_refused_by_all(file, "is not a regular file");
}

TEST_F(BadInputDatabase, AForeignSchemaRunsNothing) {
  const std::string endless =
      " AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
      "SELECT max(id) AS user_version FROM n";
  const std::vector<std::pair<std::string, std::string>> planted = {
      {"CREATE VIEW pragma_user_version" + endless, "the view 'pragma_user_version'"},
      {"DROP TABLE wanted; CREATE VIEW wanted" + endless, "the view 'wanted'"},
      {"CREATE TRIGGER planted AFTER INSERT ON sweep BEGIN DELETE FROM trial; END",
       "the trigger 'planted'"},
      {"ALTER TABLE trial ADD COLUMN planted TEXT AS (printf('%.*c', 200000000, 'x'))",
       "the table 'trial'"},
      {"DROP TABLE wanted; CREATE VIRTUAL TABLE wanted USING fts4 (problem)", "the table 'wanted'"},
      {"CREATE INDEX planted ON trial (hex(message))", "the index 'planted'"}};
  for (const auto& [sql, object] : planted) {
    SCOPED_TRACE(sql);
    const fs::path file = home_ / "downloaded.db";
    fs::remove(file);
    add_sample_sweep(file);
    execute(file, sql);
    expect_unusable(run_tilewright(home_.path(), with_database({"results"}, file)), file,
                    "has " + object + ", which is not tilewright's");
    if (object == "the view 'wanted'") expect_refused_by_all(file, object);
  }
}

// The program waits for half a minute.
TEST_F(BadInputDatabase, ALockedOneIsWaitedForThenNamed) {
  const fs::path file = home_ / "kept.db";
  add_sample_sweep(file);
  {
    Database other(file, Database::Mode::read_write, std::chrono::milliseconds(0));
    other.execute("BEGIN EXCLUSIVE");
    expect_unusable(run_tilewright(home_.path(), sweep_into(file)), file,
                    "locked by another process");
    other.execute("ROLLBACK");
  }
  EXPECT_EQ(sweeps_in(file), 1U);
}

// A limit on the size of files stands for a full disk.
TEST_F(BadInputDatabase, ANewOneOnAFullDiskIsWhollyThereOrNotAtAll) {
  const fs::path file = home_ / "new.db";
  const Finished finished =
      run_tilewright_within(home_.path(), limited_to_blocks(4), sweep_into(file));
  expect_unusable(finished, file, "cannot");
  EXPECT_EQ(run_tilewright(home_.path(), sweep_into(file)).status, 0);
  EXPECT_EQ(sweeps_in(file), 1U);
}

TEST_F(BadInputDatabase, OneThatCannotGrowKeepsWhatItHasAndTakesNoPartOfAnImport) {
  for (int i = 0; i < 12; ++i)
    add_sample_sweep(home_ / "many.db", sample_device("device " + std::to_string(i)));
  const std::string exported = home_ / "many.json";
  ASSERT_EQ(run_tilewright(home_.path(),
                           with_database({"export", "--output", exported}, home_ / "many.db"))
                .status,
            0);
  const fs::path file = home_ / "full.db";
  add_sample_sweep(file);
  const Words import = with_database({"import", exported}, file);
  expect_unusable(
      run_tilewright_within(home_.path(), limited_to_blocks(fs::file_size(file) / 512), import),
      file, "cannot");
  EXPECT_EQ(sweeps_in(file), 1U);
  EXPECT_EQ(run_tilewright(home_.path(), import).status, 0);
  EXPECT_EQ(sweeps_in(file), 13U);
}

TEST_F(BadInputDatabase, ThatCannotBeCreatedIsRefusedByImport) {
  add_sample_sweep(database_in(home_.path()));
  const std::string file = home_ / "all.json";
  ASSERT_EQ(run_tilewright(home_.path(), {"export", "--output", file}).status, 0);
  const Finished finished =
      run_tilewright(home_.path(), {"import", file, "--db", "/proc/nowhere/x.db"});
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_NE(finished.err.find("/proc/nowhere"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace tilewright::test
