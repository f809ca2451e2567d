#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kOperation = R"(schema = 1
[operation]
name = "scale"
[[operation.dimension]]
name = "n"
default = 64
)";
// Of its 10 configurations, 5 are measured, and the best has a tile of 32.
constexpr const char* kEvaluator = R"([[implementation]]
name = "fake"
evaluator = ["python3", "fake_evaluator.py"]
[[implementation.parameter]]
name = "TILE"
values = [8, 16, 32, 64]
default = 8
[[implementation.parameter]]
name = "FAULT"
values = ["none", "die", "wrong", "shared"]
default = "none"
[[implementation.parameter]]
name = "STEP"
values = ["prepare", "check"]
default = "check"
active = "FAULT != 'none'"
[[implementation.constraint]]
require = "FAULT == 'none' || TILE == 16"
why = "one of each fault"
)";

// The program with an evaluator that misbehaves in some configurations.
class Evaluators : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy_file(TILEWRIGHT_SOURCE_DIR "/tests/support/fake_evaluator.py",
                               home_ / "fake_evaluator.py");
    write_text(file_, std::string(kOperation) + kEvaluator);
  }

  Finished run(std::vector<std::string> words) { return run_tilewright(home_.path(), words); }
  Finished sweep(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"sweep", file_, "--device", "host"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& sentence) {
    const Finished finished = run(words);
    EXPECT_NE(finished.status, 0) << words.front();
    EXPECT_NE(finished.err.find(sentence), std::string::npos) << finished.out << finished.err;
  }

  TemporaryFolder home_;
  const std::string file_ = home_ / "scale.toml";
};

TEST_F(Evaluators, AreSweptAndRememberedLikeKernels) {
  const Finished first = sweep({"--budget", "3", "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  const Finished whole = sweep({"--json", "--jobs", "3"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const auto json = nlohmann::json::parse(whole.out);
  EXPECT_EQ(json.at("winners").at(0).at("configuration"),
            nlohmann::json({{"FAULT", "none"}, {"STEP", "check"}, {"TILE", 32}}))
      << whole.out;
  const Finished again = sweep();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE((again.out + again.err).find("already finished"), std::string::npos)
      << again.out << again.err;

  const Finished best = run({"best", file_, "n=64", "--device", "host", "--verbose"});
  EXPECT_EQ(best.status, 0) << best.err;
  for (const char* part : {"TILE=32", "warm, self-timed", "evaluator python3 fake"})
    EXPECT_NE(best.out.find(part), std::string::npos) << part << " in " << best.out;
  EXPECT_EQ(best.out.find("stale"), std::string::npos) << best.out;
  const Finished defines = run({"best", file_, "n=64", "--device", "host", "--format", "defines"});
  EXPECT_NE(defines.out.find("-DTILE=32"), std::string::npos) << defines.out << defines.err;

  const Finished exported = run({"export"});
  EXPECT_NE(exported.out.find("author"), std::string::npos);
  for (const char* outcome : {"faulted", "wrong_answer", "pruned", "measured"})
    EXPECT_NE(exported.out.find(outcome), std::string::npos) << outcome;
  EXPECT_EQ(run({"report", "--link", "--output", home_ / "report.html"}).status, 0);
  EXPECT_EQ(run({"results"}).status, 0);
}

TEST_F(Evaluators, OfChangedFilesHaveStaleResults) {
  const Finished swept = sweep();
  ASSERT_EQ(swept.status, 0);
  EXPECT_NE(swept.out.find("  list:  tilewright results"), std::string::npos) << swept.out;
  EXPECT_EQ(swept.out.find("debug:"), std::string::npos) << swept.out;
  write_text(home_ / "fake_evaluator.py", content_of(home_ / "fake_evaluator.py") + "# other\n");
  const Finished best = run({"best", file_, "n=64", "--device", "host"});
  EXPECT_NE(best.out.find("measured with another source of scale/fake; a sweep measures"),
            std::string::npos)
      << best.out;
}

TEST_F(Evaluators, HaveAVersionInTheirResults) {
  const auto with_version = [&](const std::string& command) {
    std::string text = kEvaluator;
    text.insert(text.find("[[implementation.parameter]]"), "version = " + command + "\n");
    write_text(file_, kOperation + text);
  };
  with_version(R"(["echo", "fake 3.6"])");
  ASSERT_EQ(sweep({"--budget", "1"}).status, 0);
  EXPECT_NE(run({"results", "--json"}).out.find("version=fake_3.6"), std::string::npos)
      << run({"results", "--json"}).out;
  const Finished again = sweep({"--budget", "1"});
  EXPECT_NE((again.out + again.err).find("already finished"), std::string::npos) << again.err;
  with_version(R"(["echo", "fake 3.7"])");
  const Finished other = sweep({"--budget", "1"});
  EXPECT_EQ((other.out + other.err).find("already finished"), std::string::npos) << other.out;
  with_version(R"(["sh", "-c", "echo a warning >&2; echo fake 3.7"])");
  ASSERT_EQ(sweep({"--budget", "1"}).status, 0);
  EXPECT_EQ(run({"results", "--json"}).out.find("version=a_warning"), std::string::npos);
  const std::pair<const char*, const char*> faults[] = {
      {"echo no such thing; exit 4", "prints a version, ended with status 4: no such thing"},
      {"echo no such thing >&2; exit 4", "prints a version, ended with status 4: no such thing"},
      {"echo 3.7 >&2", "printed no version"},
      {"echo; echo 3.7", "printed no version"},
      {"yes", "wrote over 16 MiB"},
      {"yes >&2", "wrote over 16 MiB"}};
  for (const auto& [script, message] : faults) {
    with_version(fmt::format(R"(["sh", "-c", "{}"])", script));
    const Finished broken = sweep();
    EXPECT_EQ(broken.status, 3) << script;
    EXPECT_NE(broken.err.find(message), std::string::npos) << script << ": " << broken.err;
  }
}

TEST_F(Evaluators, ShareAJob) {
  const std::string job = home_ / "job";
  ASSERT_EQ(run({"job", "create", job, file_, "--shapes", "n=64,65,66,67"}).status, 0);
  const std::vector<std::string> take_part = {"job", "run", job, "--device", "host"};
  auto other = std::async(std::launch::async, [&] { return run(take_part); });
  const Finished one = run(take_part);
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(other.get().status, 0);
  ASSERT_EQ(run({"job", "merge", job, "--into", home_ / "all.db"}).status, 0);
  const auto merged =
      nlohmann::json::parse(run({"export", "--db", home_ / "all.db"}).out).at("sweeps");
  EXPECT_EQ(merged.size(), 4U) << merged.dump();
}

TEST_F(Evaluators, FeedMetrics) {
  std::string operation = kOperation;
  operation +=
      "[[operation.metric]]\nname = \"cost\"\nvalue = \"TILE * time\"\nbetter = \"lower\"\n";
  write_text(file_, operation + kEvaluator);
  const Finished swept = sweep({"--objective", "cost", "--json"});
  ASSERT_EQ(swept.status, 0) << swept.err;
  const auto json = nlohmann::json::parse(swept.out);
  // 8 times 34 µs are less than 32 times 10 µs.
  EXPECT_EQ(json.at("winners").at(0).at("configuration").at("TILE"), 8) << swept.out;
}

TEST_F(Evaluators, AreRefusedWhereOnlyCodeHelps) {
  ASSERT_EQ(sweep({"--budget", "1"}).status, 0);
  expect_refused({"sweep", file_, "--device", "host", "--policy", "cold"}, "times its own calls");
  expect_refused({"plan", file_, "--compile", "1", "--arch", "sm_90"}, "is an evaluator");
  expect_refused({"show", file_, "n=64", "--arch", "sm_90", "--ptx"}, "is an evaluator");
  const Finished rechecked = run({"recheck", file_, "--device", "host"});
  EXPECT_NE(rechecked.out.find("it is an evaluator"), std::string::npos) << rechecked.out;
  EXPECT_EQ(run({"plan", file_, "--arch", "sm_90"}).status, 0);
}

TEST_F(Evaluators, AreNamedWhereThereAreSeveralOrKernels) {
  std::string second = kEvaluator;
  second.replace(second.find("fake"), 4, "other");
  write_text(file_, std::string(kOperation) + kEvaluator + second);
  expect_refused({"sweep", file_, "--device", "host"},
                 "a sweep of one has no other implementation: name scale/fake");
  const Finished one = run({"sweep", file_ + "/other", "--device", "host", "--budget", "1"});
  EXPECT_EQ(one.status, 0) << one.err;
}

TEST_F(Evaluators, ThatDoNotBeginEndTheSweep) {
  std::string broken = kEvaluator;
  const std::string word = "\"fake_evaluator.py\"";
  broken.replace(broken.find(word), word.size(), word + ", \"die\"");
  write_text(file_, kOperation + broken);
  const Finished finished = sweep();
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_NE(finished.err.find("does not begin: the evaluator died in 'hello': exit status 7"),
            std::string::npos)
      << finished.err;
}

}  // namespace
}  // namespace tilewright::test
