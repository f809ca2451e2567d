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

TEST_F(SweepShapes, AreCombinedFromTheValuesOfALine) {
  std::vector<std::string> words = {"sweep",  "gemm/naive", "--shapes", "M=16,24 N=K=8,16",
                                    "--json", "--device",   "host",     "--budget",
                                    "2"};
  const Finished given = run_tilewright(home_.path(), words);
  ASSERT_EQ(given.status, 0) << given.err;
  std::vector<std::pair<int, int>> sizes;
  for (const nlohmann::json& one : problems(given)) {
    sizes.emplace_back(one.at("problem").at("M"), one.at("problem").at("K"));
    EXPECT_EQ(one.at("problem").at("N"), one.at("problem").at("K"));
  }
  EXPECT_EQ(sizes, (std::vector<std::pair<int, int>>{{16, 8}, {16, 16}, {24, 8}, {24, 16}}));
  EXPECT_EQ(problems(sweep("M=16,24  # two\nM=32\n", {"N=K=8", "--json"})).size(), 3u);
}

// What was tuned elsewhere: a file with its results, then a device that is in the database.
TEST_F(SweepShapes, AreThoseOfAnotherDatabaseOrDevice) {
  const auto in = [](const TemporaryFolder& home, std::vector<std::string> words) {
    return run_tilewright(home.path(), words);
  };
  ASSERT_EQ(sweep("M=16,24\n", {"N=K=16"}).status, 0);
  const std::string exported = files_ / "there.json";
  ASSERT_EQ(in(home_, {"export", "gemm", "-o", exported}).status, 0);

  const TemporaryFolder here;
  const auto like = [&](const std::string& there) {
    return in(here, {"sweep", "gemm/naive", "--like", there, "--device", "host", "--budget", "2",
                     "--json"});
  };
  const auto expect_both = [](const Finished& finished) {
    ASSERT_EQ(finished.status, 0) << finished.err;
    const nlohmann::json list = problems(finished);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].at("problem").at("M"), 16);
    EXPECT_EQ(list[1].at("problem").at("M"), 24);
    EXPECT_EQ(list[1].at("problem").at("K"), 16);
    EXPECT_FALSE(list[1].at("winners").empty());
  };
  expect_both(like(database_in(home_.path())));

  std::string text = content_of(exported);
  const std::string name =
      nlohmann::json::parse(text).at("sweeps")[0].at("key").at("device").at("name");
  for (std::size_t at = 0; (at = text.find('"' + name + '"', at)) != std::string::npos;)
    text.replace(at, name.size() + 2, "\"Other 9000\"");
  write_text(files_ / "other.json", text);
  std::filesystem::remove(database_in(here.path()));
  expect_both(like(files_ / "other.json"));
  std::filesystem::remove(database_in(here.path()));
  ASSERT_EQ(in(here, {"import", files_ / "other.json"}).status, 0);
  expect_both(like("other"));

  const Finished unknown = like("H9999");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--like 'H9999' is neither a file nor in the name of a device with "
                             "results of gemm; there are "),
            std::string::npos)
      << unknown.err;
  EXPECT_NE(unknown.err.find("'Other 9000'"), std::string::npos) << unknown.err;
  const Finished none = in(here, {"sweep", "conv1d", "--like", exported, "--device", "host"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("the file has no results of conv1d"), std::string::npos) << none.err;
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
  expect_refused(run_tilewright(home_.path(), {"sweep", "gemm", "--shapes", "M=16,x"}),
                 "--shapes: gemm: M=x is not a whole number");
  std::string many = "M=1,2,3,4,5,6,7,8,9,10 N=1";
  for (int i = 2; i <= 2000; ++i) many += ',' + std::to_string(i);
  expect_refused(run_tilewright(home_.path(), {"sweep", "gemm", "--shapes", many}),
                 "more than 10000 problems");
  expect_refused(
      run_tilewright(home_.path(), {"sweep", "gemm", "--shapes", "M=16", "--like", "H100"}),
      "give one of them");
}

}  // namespace
}  // namespace tilewright::test
