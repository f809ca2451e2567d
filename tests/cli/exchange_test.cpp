#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

class Exchange : public ::testing::Test {
 protected:
  void SetUp() override { uuid_ = add_sample_sweep(database_in(home_.path())); }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }
  TemporaryFolder home_;
  TemporaryFolder elsewhere_;
  std::string uuid_;
};

TEST_F(Exchange, AnExportImportedElsewhereGivesTheSameExportAndAnswer) {
  const std::string file = elsewhere_ / "gemm.json";
  ASSERT_EQ(run({"export", "gemm", "--output", file}).status, 0);
  const Finished imported = run_tilewright(elsewhere_.path(), {"import", file});
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_NE(imported.out.find("1 of 1"), std::string::npos) << imported.out;
  EXPECT_NE(run_tilewright(elsewhere_.path(), {"import", file}).out.find("0 of 1"),
            std::string::npos);

  const std::vector<std::string> question = {"best", "gemm",     "M=N=K=512", "--device",
                                             "9000", "--format", "defines"};
  EXPECT_EQ(run_tilewright(elsewhere_.path(), question).out, run(question).out);
}

// Nothing to export is status 1, whatever the format; what was written is said.
TEST_F(Exchange, AnExportSaysWhatItWroteOrWhyItWroteNothing) {
  const std::string file = elsewhere_ / "out";
  for (const char* format : {"json", "winners", "csv"}) {
    const Finished written = run({"export", "gemm", "--format", format, "--output", file});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_TRUE(written.err.starts_with(file + ": ")) << written.err;
    EXPECT_TRUE(written.err.ends_with(" bytes written\n")) << written.err;
    std::filesystem::remove(file);
    const std::vector<std::string> nothing = {"export",   "gemm/mma", "--format",  format,
                                              "--output", file,       "--shipped", "none"};
    const Finished none = run(nothing);
    EXPECT_EQ(none.status, 1) << format;
    EXPECT_EQ(none.err,
              "no result of gemm/mma is stored, only 1 finished sweep of gemm; nothing is "
              "written\n");
    EXPECT_FALSE(std::filesystem::exists(file));
    const Finished empty = run_tilewright(elsewhere_.path(), nothing);
    EXPECT_EQ(empty.status, 1);
    EXPECT_NE(empty.err.find("there is no database"), std::string::npos) << empty.err;
  }
  const Finished folder =
      run({"export", "gemm", "--format", "winners", "--about", "x", "--output", file + "/a.json"});
  EXPECT_EQ(folder.status, 3);
  EXPECT_NE(folder.err.find("a.json cannot be written: "), std::string::npos) << folder.err;
}

// Once such a database gave no file of winners.
TEST_F(Exchange, WinnersOf16BitTypesAlone) {
  for (const char* type : {"type_a=float16", "type_a=bfloat16"})
    ASSERT_EQ(run_tilewright(elsewhere_.path(), {"sweep", "gemm/naive", "M=N=K=16", type,
                                                 "--device", "host", "--budget", "2"})
                  .status,
              0);
  const std::string file = elsewhere_ / "winners.json";
  const Finished written =
      run_tilewright(elsewhere_.path(),
                     {"export", "gemm", "--format", "winners", "--about", "x", "--output", file});
  EXPECT_EQ(written.status, 0) << written.err;
  const auto document = nlohmann::json::parse(content_of(file));
  EXPECT_EQ(document.at("about"), "x");
  EXPECT_EQ(document.at("groups").at(0).at("winners").size(), 2U);
}

TEST_F(Exchange, AnExportInGzipIsImportedUnlessItIsCut) {
  const std::string kept = TILEWRIGHT_SOURCE_DIR "/tests/kept/0.1/";
  const Finished imported = run_tilewright(elsewhere_.path(), {"import", kept + "host.json.gz"});
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_NE(imported.out.find(" sweeps are new"), std::string::npos) << imported.out;
  const std::string cut = elsewhere_ / "cut.json.gz";
  const std::string bytes = content_of(kept + "host.json.gz");
  write_text(cut, bytes.substr(0, bytes.size() - 20));
  const std::string short_cut = elsewhere_ / "short.json.gz";
  write_text(short_cut, bytes.substr(0, 20));
  for (const auto& [file, why] : {std::pair(cut, "ends early or is damaged"),
                                  std::pair(short_cut, "ends early or is damaged"),
                                  std::pair(kept + "host.db.gz", "name the database's own file")}) {
    const Finished refused = run_tilewright(elsewhere_.path(), {"import", file});
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_NE(refused.err.find(why), std::string::npos) << refused.err;
  }
}

// hA.json and hB.json of tests/attack, made for the machine of this test.
TEST_F(Exchange, AnImportedSweepOfTheSameRequestIsNeitherAnAnswerNorContinued) {
  const std::vector<std::string> sweep = {"sweep", "gemm/naive", "M=N=K=16", "--device",
                                          "host",  "--budget",   "2"};
  ASSERT_EQ(run(sweep).status, 0);
  auto document = nlohmann::json::parse(run({"export"}).out);
  std::erase_if(document["sweeps"].get_ref<nlohmann::json::array_t&>(),
                [](const auto& one) { return one["key"]["device"]["kind"] != "host"; });
  auto& foreign = document["sweeps"].at(0);
  const std::string ours = foreign["uuid"];
  for (const auto& [uuid, finished] :
       {std::pair(std::string(32, 'a'), 4000000000L), std::pair(std::string(32, 'b'), 0L)}) {
    foreign["uuid"] = uuid;
    foreign["finished"] = finished;
    const TemporaryFolder home;
    write_text(home / "foreign.json", document.dump());
    const auto at_home = [&](const std::vector<std::string>& words) {
      return run_tilewright(home.path(), words);
    };
    ASSERT_EQ(at_home({"import", home / "foreign.json"}).status, 0);
    const Finished own = at_home(sweep);
    EXPECT_EQ(own.status, 0) << own.err;
    EXPECT_EQ(own.err.find("already finished"), std::string::npos) << own.err;
    EXPECT_EQ(own.err.find("continuing"), std::string::npos) << own.err;
    const Finished best = at_home({"best", "gemm", "M=N=K=16", "--device", "host"});
    EXPECT_EQ(best.status, 0) << best.err;
    EXPECT_EQ(best.out.find("imported"), std::string::npos) << best.out;
  }
  // With the uuid of our own sweep it is refused.
  foreign["uuid"] = ours;
  foreign["finished"] = 4000000000;
  write_text(home_ / "same.json", document.dump());
  const Finished refused = run({"import", home_ / "same.json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("sweep " + ours + " is our own"), std::string::npos) << refused.err;
}

TEST_F(Exchange, RecoverTakesOnlyWhatThisDatabaseMeasured) {
  const TemporaryFolder other;
  add_sample_sweep(database_in(other.path()));
  write_text(other / "theirs.json", run_tilewright(other.path(), {"export"}).out);
  const std::string before = run({"export"}).out;
  const Finished refused = run({"recover", other / "theirs.json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("was measured for the database with the id"), std::string::npos)
      << refused.err;
  EXPECT_EQ(run({"export"}).out, before);
  write_text(other / "ours.json", before);
  EXPECT_EQ(run({"recover", other / "ours.json"}).out, "0 of 1 sweeps are new\n");
}

TEST_F(Exchange, CsvAndHeaderHoldTheWinner) {
  const Finished csv = run({"export", "--format", "csv"});
  EXPECT_EQ(csv.status, 0);
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 2) << csv.out;
  EXPECT_NE(csv.out.find("gemm/naive"), std::string::npos);
  const Finished header = run({"export", "--format", "header"});
  EXPECT_EQ(header.status, 0);
  EXPECT_NE(header.out.find("constexpr"), std::string::npos);
}

TEST_F(Exchange, NothingToExportIsStatusOneAndWritesNoFile) {
  const std::string file = elsewhere_ / "none.json";
  EXPECT_EQ(run({"export", "conv1d", "--output", file}).status, 1);
  EXPECT_EQ(run({"export", "--about", "nobody would read this", "--output", file}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Exchange, AnOutputThatIsALinkStaysOne) {
  write_text(elsewhere_ / "real.json", "old");
  std::filesystem::create_symlink("real.json", elsewhere_ / "link.json");
  ASSERT_EQ(run({"export", "--output", elsewhere_ / "link.json"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(elsewhere_ / "link.json"));
  EXPECT_EQ(content_of(elsewhere_ / "real.json"), run({"export"}).out);
}

TEST_F(Exchange, AnOutputThatIsNoRegularFileIsWrittenToNotReplaced) {
  std::filesystem::create_symlink("/dev/null", elsewhere_ / "null");
  EXPECT_EQ(run({"export", "--output", elsewhere_ / "null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file(elsewhere_ / "null"));

  const std::filesystem::path pipe = elsewhere_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(run({"export", "--output", pipe}).status, 0);
  std::string written(1 << 16, '\0');
  const ssize_t size = read(reader, written.data(), written.size());
  close(reader);
  ASSERT_GT(size, 0);
  written.resize(static_cast<std::size_t>(size));
  EXPECT_EQ(written, run({"export"}).out);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace tilewright::test
