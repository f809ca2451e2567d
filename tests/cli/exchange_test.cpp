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
