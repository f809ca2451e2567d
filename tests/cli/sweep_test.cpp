#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

class SweepWithoutGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (why_no_gpu().empty()) GTEST_SKIP() << "this machine has a GPU";
  }
  TemporaryFolder home_;
};

TEST_F(SweepWithoutGpu, SaysWhyInOneSentenceAndWritesNothing) {
  const Finished finished =
      run_tilewright(home_.path(), {"sweep", "gemm", "M=N=K=64", "--device", "cuda:0"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("there is no GPU"), std::string::npos) << finished.err;
  if (why_no_compiler().empty()) {
    EXPECT_NE(finished.err.find("tilewright plan"), std::string::npos) << finished.err;
  }
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_TRUE(is_untouched(home_.path()));
}

TEST_F(SweepWithoutGpu, ListsTheHostAndSaysWhyThereIsNoOther) {
  const Finished finished = run_tilewright(home_.path(), {"devices"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.out.find("\nhost "), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("  power limit  "), std::string::npos) << finished.out;
  EXPECT_NE(finished.err.find("no GPU: "), std::string::npos);
  const Finished json = run_tilewright(home_.path(), {"devices", "--json"});
  EXPECT_NE(json.out.find("\"why\""), std::string::npos) << json.out;
}

// A build without the CUDA backend, or a machine without NVRTC.
TEST(PlanWithoutCompiler, SaysWhyInOneSentence) {
  if (why_no_compiler().empty()) GTEST_SKIP() << "this machine has a compiler";
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(), {"plan", "gemm/naive", "M=N=K=64", "--arch", "sm_90", "--compile", "1"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

class SweepOnHost : public ::testing::Test {
 protected:
  Finished sweep(std::vector<std::string> words,
                 const std::vector<std::string>& environment = {}) const {
    words.insert(words.begin(), "sweep");
    words.insert(words.end(), {"--device", "host"});
    return run_tilewright(home_.path(), words, environment);
  }

  TemporaryFolder home_;
};

// The GPU's default has more elements than a buffer may have.
TEST_F(SweepOnHost, ChecksTheSizesOfTheProblemThatItMeasures) {
  const std::string file =
      write_copy_kernel(home_.path(), {{"default = 4096", "default = 2147483647\nhost_default = 4"},
                                       {"count = \"n\"", "count = \"n * 1024\""}});
  const Finished swept = sweep({file, "--budget", "1"});
  EXPECT_EQ(swept.status, 0) << swept.err;
}

// What may be cut off begins with what promises most, and not with what stands first.
TEST_F(SweepOnHost, OfAllOfALargeSpaceGoesInOrderUnlessSomethingMayCutItOff) {
  const auto strategy = [&](const std::string& implementation) {
    const Finished swept =
        sweep({implementation, "M=N=K=16", "--budget", "all", "--target", "1000ms"});
    EXPECT_EQ(swept.status, 0) << swept.err;
    const Finished listed = run_tilewright(home_.path(), {"results", "--json"});
    const auto newest = nlohmann::json::parse(listed.out).at("sweeps").at(0);
    return newest.at("strategy").get<std::string>();
  };
  EXPECT_EQ(strategy("gemm/tiled"), "model target_us=1000000");
  EXPECT_EQ(strategy("gemm/naive"), "exhaustive target_us=1000000");
}

TEST_F(SweepOnHost, FindsTheBestOfEachOperationAndExportsIt) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"gemm", "M=N=K=48", "--budget", "6"}, {"conv1d", "length=5000", "--budget", "6"}}) {
    const Finished finished = sweep(words);
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_NE(finished.out.find("\nuse it:  tilewright best "), std::string::npos) << finished.out;
    const Finished best = run_tilewright(
        home_.path(), {"best", words[0], words[1], "--device", "host", "--require", "exact"});
    EXPECT_EQ(best.status, 0) << best.err;
    EXPECT_NE(best.out.find("| exact\n"), std::string::npos) << best.out;
  }
  const Finished exported = run_tilewright(home_.path(), {"export"});
  EXPECT_EQ(exported.status, 0);
  EXPECT_NE(exported.out.find("\"host\""), std::string::npos);
}

TEST_F(SweepOnHost, MeasuredAnewCompilesNothing) {
  give_own_cache(home_);
  std::vector<std::string> words = {"gemm/naive", "M=N=K=32", "--budget", "5", "--json"};
  const Finished first = sweep(words);
  ASSERT_EQ(first.status, 0) << first.err;
  const auto compiles_of = [](const Finished& finished) {
    return nlohmann::json::parse(finished.out).at("report").at("compiles");
  };
  EXPECT_GE(compiles_of(first).at("done"), 5);
  words.emplace_back("--fresh");
  const Finished anew = sweep(words);
  ASSERT_EQ(anew.status, 0) << anew.err;
  EXPECT_EQ(compiles_of(anew).at("done"), 0);
  EXPECT_GE(compiles_of(anew).at("from_cache"), 5);
  words.pop_back();
  words.back() = "--fresh";  // for people
  words.emplace_back("--verbose");
  EXPECT_NE(sweep(words).out.find("0 compiles, "), std::string::npos);
}

TEST_F(SweepOnHost, ACacheThatKeepsNothingIsNamed) {
  write_text(home_ / "file", "");
  const Finished finished =
      sweep({"gemm/naive", "M=N=K=32", "--budget", "1", "--cache", home_ / "file"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.err.find("warning: compiled code is not kept: cache '"), std::string::npos)
      << finished.err;
}

TEST_F(SweepOnHost, WithoutACompilerOneSentenceSaysSo) {
  const Finished finished = sweep({"gemm", "M=N=K=32"}, {"PATH=/nowhere"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_NE(finished.err.find("C++ compiler"), std::string::npos) << finished.err;
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  EXPECT_TRUE(std::filesystem::is_empty(home_.path()));
}

TEST_F(SweepOnHost, IsMeasuredWarmOnly) {
  const Finished finished = sweep({"gemm", "M=N=K=32", "--policy", "cold"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(finished.err.find("warm"), std::string::npos) << finished.err;
}

class SweepOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    has_gpu_ = why_no_gpu().empty();
    if (!has_gpu_) return;
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  }

  // The same problem for all tests; a CPU needs a smaller one, and code that compiles sooner.
  std::string name() const { return has_gpu_ ? "gemm" : "gemm/naive"; }
  std::string size() const { return has_gpu_ ? "M=N=K=256" : "M=N=K=64"; }

  Finished sweep(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"sweep", name(), size(), "--budget", "12"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home_.path(), words);
  }

  nlohmann::json sweeps() const {
    return nlohmann::json::parse(run_tilewright(home_.path(), {"results", "--json"}).out)
        .at("sweeps");
  }

  bool has_gpu_ = false;
  TemporaryFolder home_;
};

TEST_F(SweepOnDevice, MeasuresAndKeepsTheBest) {
  const Finished finished = sweep({"--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json.at("report").at("end"), "finished");
  EXPECT_EQ(json.at("report").at("tried"), 12);
  const auto& clock = json.at("report").at("clock");
  double seconds = clock.at("occupied_s");
  for (const auto& [activity, lost] : clock.at("lost_s").items()) seconds += lost.get<double>();
  EXPECT_NEAR(seconds, clock.at("total_s"), 1e-3);
  EXPECT_GT(clock.at("busy_s").at("timing"), 0);
  EXPECT_GT(clock.at("busy_s").at("verifying"), 0);
  ASSERT_FALSE(json.at("winners").empty());
  const auto& winner = json.at("winners").at(0);
  EXPECT_GT(winner.at("timing").at("median_us"), 0);

  const Finished best = run_tilewright(
      home_.path(), {"best", "gemm", size(), "--format", "json", "--require", "exact"});
  ASSERT_EQ(best.status, 0) << best.err;
  const auto answer = nlohmann::json::parse(best.out);
  EXPECT_EQ(answer.at("configuration"), winner.at("configuration"));
  EXPECT_EQ(answer.at("implementation"), winner.at("implementation"));
}

TEST_F(SweepOnDevice, AnswersARepeatFromTheStoreUntilAskedForAFreshOne) {
  const Finished first = sweep({});
  ASSERT_EQ(first.status, 0) << first.err;
  const Finished again = sweep({});
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, first.out);
  EXPECT_NE(again.err.find("already finished"), std::string::npos) << again.err;
  EXPECT_EQ(sweeps().size(), 1U);
  EXPECT_EQ(sweep({"--fresh"}).status, 0);
  EXPECT_EQ(sweeps().size(), 2U);
}

TEST_F(SweepOnDevice, ARetryKeepsWhatWasMeasured) {
  ASSERT_EQ(sweep({}).status, 0);
  const Finished again = sweep({"--retry", "--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("retrying what a fault"), std::string::npos) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out).at("report").at("tried"), 0);
  const auto listed =
      nlohmann::json::parse(run_tilewright(home_.path(), {"results", "--json"}).out);
  EXPECT_EQ(listed.at("sweeps").size(), 2U);
}

TEST_F(SweepOnDevice, TheReportSaysWhatTheMachineDid) {
  const Finished finished = sweep({"--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto machine = nlohmann::json::parse(finished.out).at("report").at("machine");
  EXPECT_GT(machine.at("readings"), 0);
  // What is not there is unseen, with a reason.
  for (const char* what : {"sm_mhz", "memory_mhz", "power_w", "temperature_c"})
    EXPECT_NE(machine.contains(what), machine.at("unseen").contains(what)) << what;
}

}  // namespace
}  // namespace tilewright::test
