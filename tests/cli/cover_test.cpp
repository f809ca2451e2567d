#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

// Small products by gemm/naive on the host.
class CoverCommand : public ::testing::Test {
 protected:
  Finished cover(std::vector<std::string> words) const {
    for (const char* word :
         {"--device", "host", "--workload", "small", "--where", "BLOCK_X == 16 && BLOCK_Y <= 16"})
      words.emplace_back(word);
    words.insert(words.begin(), {"cover", "gemm/naive", "batch=K=2"});
    return run_tilewright(home_.path(), words);
  }

  TemporaryFolder home_;
};

TEST_F(CoverCommand, TunesAWorkloadAndSaysWhatOtherProblemsLose) {
  const Finished first = cover({"--problems", "3", "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  const auto json = nlohmann::json::parse(first.out);
  ASSERT_EQ(json.at("workloads").size(), 1U) << first.out;
  EXPECT_EQ(json.at("workloads").at("small"), json.at("together"));
  EXPECT_EQ(json.at("together").at("problems"), 3);
  EXPECT_EQ(json.at("together").at("known"), 3) << "an answer for each was measured";
  EXPECT_GE(json.at("together").at("worst_loss"), json.at("together").at("mean_loss"));
  const Finished next = cover({"--problems", "4"});
  ASSERT_EQ(next.status, 0) << next.err;
  std::size_t before = 0;
  for (std::size_t at = 0; (at = next.err.find("already finished", at)) != std::string::npos; ++at)
    ++before;
  EXPECT_EQ(before, 3U) << next.err;
  EXPECT_NE(next.out.find("what a problem that is not tuned loses"), std::string::npos);
  EXPECT_NE(next.out.find("small"), std::string::npos) << next.out;
}

TEST_F(CoverCommand, RefusesWhatIsNoWorkload) {
  const Finished refused =
      run_tilewright(home_.path(), {"cover", "gemm", "--workload", "huge", "--device", "host"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("the workloads of gemm are small, middle"), std::string::npos)
      << refused.err;
  EXPECT_EQ(cover({"--problems", "0"}).status, 2);
  EXPECT_EQ(cover({"--time-limit", "soon"}).status, 2);
}

TEST_F(CoverCommand, EndsWhereNothingNewIsDrawn) {
  const Finished one =
      cover({"M=16", "N=16", "transpose_a=no", "transpose_b=yes", "--budget", "1"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find("small         1"), std::string::npos) << one.out;
}

// A transposed A of more than 2 rows does not fit into rows of 2.
TEST_F(CoverCommand, LeavesOutWhatIsNoProblem) {
  const Finished finished = cover({"lda=2", "--problems", "4", "--budget", "1"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.err.find("warning: "), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("[small 5]"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace tilewright::test
