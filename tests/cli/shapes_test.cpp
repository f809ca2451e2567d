#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

class SweepShapes : public ::testing::Test {
 protected:
  SweepShapes() { give_own_cache(home_); }
  // gemm/naive has its dimensions as launch arguments: one cubin fits all problems.
  Finished sweep(const std::string& lines, std::vector<std::string> more = {}) {
    const std::filesystem::path file = files_.path() / "shapes.txt";
    std::ofstream(file) << lines;
    std::vector<std::string> words = {"sweep", "gemm/naive", "--shapes", file,       "--device",
                                      "host",  "--budget",   "3",        "--verbose"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home_.path(), words);
  }
  static nlohmann::json problems(const Finished& finished) {
    return nlohmann::json::parse(finished.out).at("problems");
  }

  TemporaryFolder home_;
  TemporaryFolder files_;
};

TEST_F(SweepShapes, SweepsEachProblemOnceAndSharesItsCode) {
  const Finished finished = sweep(
      "# two products\n"
      "M=16 N=16 K=16\n"
      "\n"
      "M=24 N=16 K=16  # taller\n"
      "K=16 M=N=16\n",
      {"--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json list = problems(finished);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].at("problem").at("M"), 16);
  EXPECT_EQ(list[1].at("problem").at("M"), 24);
  EXPECT_GE(list[0].at("report").at("compiles").at("done"), 3);
  EXPECT_EQ(list[1].at("report").at("compiles").at("done"), 0);
  EXPECT_FALSE(list[1].at("winners").empty());
}

TEST_F(SweepShapes, EndsWithATableAndGoesOnWhereItStopped) {
  ASSERT_EQ(sweep("M=16\n", {"N=K=16"}).status, 0);
  const Finished finished = sweep("M=16\nM=24\n", {"N=K=16"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.err.find("already finished"), std::string::npos) << finished.err;
  for (const char* part : {"M=N=K=16 ", "before", "M=24 ", "gemm/naive", "2 problems: 3 config"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << finished.out;
}

TEST_F(SweepShapes, AProblemWithoutAnAnswerIsNothingAndTheOthersAreDone) {
  const Finished finished = sweep("M=5\nM=16\n", {"N=K=16", "--where", "M > 10", "--json"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  const nlohmann::json list = problems(finished);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list[0].at("winners").empty());
  EXPECT_FALSE(list[1].at("winners").empty());
}

TEST_F(SweepShapes, MayBeginWithAByteOrderMark) {
  const Finished finished = sweep("\xEF\xBB\xBFM=16\n", {"N=K=16", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(problems(finished).at(0).at("problem").at("M"), 16);
}

TEST_F(SweepShapes, EachBeginsWithWhatTheOthersFound) {
  const auto sources = [](const nlohmann::json& problem) {
    return problem.at("report").at("priors").at("sources");
  };
  nlohmann::json list = problems(sweep("M=16\nM=64\nM=24\n", {"N=K=16", "--json"}));
  EXPECT_TRUE(sources(list[0]).empty());
  ASSERT_EQ(sources(list[1]).size(), 1u);
  ASSERT_EQ(sources(list[2]).size(), 2u);
  EXPECT_EQ(sources(list[2])[0].at("sweep"), list[0].at("sweep"));  // the nearest, not the newest
  EXPECT_NEAR(sources(list[2])[0].at("distance"), std::log(24.0 / 16), 1e-9);
  EXPECT_EQ(sources(list[2])[0].at("trials"), 3);

  const Finished alone = sweep("M=32\n", {"N=K=16", "--json", "--priors", "none"});
  const nlohmann::json priors = problems(alone)[0].at("report").at("priors");
  EXPECT_EQ(priors.at("use"), "none");
  EXPECT_TRUE(priors.at("sources").empty());
}

TEST_F(SweepShapes, TheReportSaysWhatASweepBeganWith) {
  ASSERT_EQ(sweep("M=16\n", {"N=K=16"}).status, 0);
  const auto report = [this](std::vector<std::string> more) {
    std::vector<std::string> words = {"sweep", "gemm/naive", "M=24", "N=K=16",   "--device",
                                      "host",  "--budget",   "3",    "--verbose"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home_.path(), words).out;
  };
  const std::string warm = report({});
  EXPECT_NE(warm.find("began with what 1 stored sweep found in 3 trials; the nearest: M=N=K=16 "),
            std::string::npos)
      << warm;
  const std::string cold = report({"--priors", "none", "--fresh"});
  EXPECT_NE(cold.find("began without priors, as asked"), std::string::npos) << cold;
}

class BadInputShapes : public SweepShapes {
 protected:
  void expect_refused(const Finished& finished, const std::string& part) {
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
    EXPECT_TRUE(is_untouched(home_.path()));
  }
};

TEST_F(BadInputShapes, ABadLineIsNamedBeforeAnythingIsMeasured) {
  expect_refused(sweep("M=16\nM=16 L=4\n"), "shapes.txt:2: gemm: no dimension or choice 'L'");
  expect_refused(sweep("# none\n\nM=0\n"), "shapes.txt:3: ");
  expect_refused(sweep("16 16 16\n"), "shapes.txt:1: ");
  expect_refused(sweep("M=16\n", {"M=8"}), "shapes.txt:1: ");
  expect_refused(sweep(std::string("M=16\nM\0=8\n", 10)), "shapes.txt:2: not a problem");
  expect_refused(sweep("M=16 " + std::string(5000, 'N') + '\n'), "at most 4096 bytes");
}

TEST_F(BadInputShapes, AFileWithoutProblemsOrNoFile) {
  expect_refused(sweep("# nothing\n"), "shapes.txt has no problem");
  expect_refused(run_tilewright(home_.path(), {"sweep", "gemm", "--shapes", "/absent/shapes"}),
                 "/absent/shapes");
}

}  // namespace
}  // namespace tilewright::test
