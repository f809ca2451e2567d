// What people see at the end of a sweep, and where they go from there. The kernel is
// tests/cli/blur, with a wrong answer at VECTOR = 4 and a compile error at BLOCK = 96.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

const std::string kBlur = TILEWRIGHT_SOURCE_DIR "/tests/cli/blur/blur.toml";

class Summary : public ::testing::Test {
 protected:
  Finished sweep(std::vector<std::string> words,
                 const std::vector<std::string>& environment = {}) const {
    words.insert(words.begin(), "sweep");
    words.insert(words.end(), {"--device", "host"});
    return run(words, environment);
  }
  Finished run(const std::vector<std::string>& words,
               const std::vector<std::string>& environment = {}) const {
    return run_tilewright(home_.path(), words, environment);
  }
  std::string sweep_id() const {
    const auto json = nlohmann::json::parse(run({"results", "--json"}).out);
    return json.at("sweeps").at(0).at("sweep").get<std::string>().substr(0, 4);
  }

  TemporaryFolder home_;
};

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

// Characters, not bytes.
auto width_of(const std::string& line) {
  return std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
}

// At most 12 lines of 100 columns, and `more`. Only what is to be copied may be longer.
void expect_short(const std::string& text, std::size_t more = 0) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const bool is_command = line.find("tilewright ") != std::string::npos;
    EXPECT_LE(is_command ? 0 : width_of(line), 100) << line;
  }
  EXPECT_LE(count, 12U + more) << text;
}

TEST_F(Summary, IsShortAndSaysWhatToDoNext) {
  const Finished finished = sweep({"gemm/naive", "M=N=K=32", "--budget", "4"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  expect_short(finished.out);
  EXPECT_TRUE(finished.out.starts_with("gemm M=N=K=32 | ")) << finished.out;
  expect_parts(finished.out, {" | warm\n  gemm/naive  ", "4 of 30 tried in ",
                              "use it:  tilewright best gemm/naive M=N=K=32 --device host\n",
                              "report:  tilewright report --sweep " + sweep_id()});
  const Finished best = run({"best", "gemm/naive", "M=N=K=32", "--device", "host"});
  EXPECT_EQ(best.status, 0);
  EXPECT_EQ(best.out.find("valid for"), std::string::npos) << "the host's compiler is long";
  expect_parts(run({"best", "gemm/naive", "M=N=K=32", "--device", "host", "-v"}).out,
               {"  valid for  ", " -std=c++17"});
}

// A sweep that is finished is shown as it was stored.
TEST_F(Summary, ComparesInTheRightDirection) {
  const std::vector<std::string> words = {"gemm/naive", "M=N=K=32", "--budget", "2"};
  ASSERT_EQ(sweep(words).status, 0);
  const std::string is_default = R"(configuration = '{"BLOCK_X":16,"BLOCK_Y":16}')";
  set_times(database_in(home_.path()), is_default, std::vector<double>(6, 140));
  set_times(database_in(home_.path()), "NOT " + is_default, std::vector<double>(6, 100));
  const Finished shown = sweep(words);
  expect_parts(shown.out, {"  100 µs  ", "  1.4x faster than the default\n",
                           "\n  next: BLOCK_X=16 BLOCK_Y=16 instead of ",
                           ", 140 µs, 1.4x slower than the best\n"});
  std::vector<std::string> all = words;
  all.emplace_back("-v");
  expect_parts(sweep(all).out, {"  1.4x faster  ", "  1.4x slower\n"});
  set_times(database_in(home_.path()), is_default, std::vector<double>(6, 90));
  const std::string won = sweep(words).out;
  expect_parts(won, {"  90.0 µs  ", "\n  the default\n"});
  EXPECT_EQ(won.find("than the default"), std::string::npos) << won;
}

TEST_F(Summary, OffersNoDefinesWhereLaunchesDiffer) {
  const std::string file = TILEWRIGHT_SOURCE_DIR "/tests/definitions/two_stage.toml";
  const Finished finished = sweep({file, "--budget", "1"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  expect_parts(finished.out, {"\n  C++: ... --format header -o tile.h\n"});
  EXPECT_EQ(finished.out.find("nvcc:"), std::string::npos) << finished.out;
  EXPECT_EQ(run({"best", file, "--device", "host", "--format", "defines"}).status, 2);
  const Finished same = sweep({"gemm/naive", "M=N=K=32", "--budget", "1"});
  expect_parts(same.out, {"\n  nvcc:  ... --format defines        C++: ... --format header"});
}

TEST_F(Summary, WrongAnswersComeFirstWithWhatTheyHaveInCommon) {
  const Finished finished = sweep({kBlur});
  EXPECT_EQ(finished.status, 0) << finished.err;
  expect_short(finished.out, 1);
  const std::string id = sweep_id();
  expect_parts(
      finished.out,
      {"\nWRONG ANSWERS: 4 of 20; every one has VECTOR=4\n", "out[4095] is 0.25; expected ",
       "tilewright results --sweep " + id + " --outcome wrong_answer",
       "tilewright show " + kBlur + " --trial " + id + "/", "best of 16 correct: blur/tile ",
       "5 compile errors (BLOCK=96): ", "\n  e.g. BLOCK=96",
       ": blur.cu:13:3: error: ", " --reproducer -o bad.cpp"});
  const std::size_t debug =
      finished.out.find("debug: tilewright ") + std::string("debug: tilewright ").size();
  const std::string words = finished.out.substr(debug, finished.out.find('\n', debug) - debug);
  std::istringstream stream(words);
  const Finished shown = run({std::istream_iterator<std::string>(stream), {}});
  EXPECT_EQ(shown.status, 0) << words << '\n' << shown.err;
  EXPECT_EQ(sweep({kBlur, "--strict"}).status, 1);
  const auto json = nlohmann::json::parse(sweep({kBlur, "--json"}).out);
  const nlohmann::json& failures = json.at("failures");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures.at(0).at("outcome"), "wrong_answer");
  EXPECT_EQ(failures.at(0).at("cause").at("VECTOR"), nlohmann::json::array({4}));
}

TEST_F(Summary, WhatItNamesIsThere) {
  ASSERT_EQ(sweep({kBlur}).status, 0);
  const std::string id = sweep_id();
  const Finished wrong = run({"results", kBlur, "--sweep", id, "--outcome", "wrong_answer"});
  expect_parts(wrong.out, {"VECTOR=4 (1 other: default)\n", "out[4095] is 0.25"});
  EXPECT_EQ(wrong.out.find("BLOCK=96"), std::string::npos) << wrong.out;
  const Finished best = run({"results", kBlur, "--sweep", id, "--all"});
  expect_parts(best.out, {"\n  winner: "});
  EXPECT_EQ(best.out.find("winner: "), best.out.rfind("winner: ")) << "one\n" << best.out;
  const auto json = nlohmann::json::parse(run({"results", "--sweep", id, "--all", "--json"}).out);
  EXPECT_EQ(
      std::ranges::count_if(json.at("trials"), [](const auto& one) { return one.at("winner"); }),
      1);
  EXPECT_GT(json.at("trials").at(0).at("ended_s"), 0);
  EXPECT_EQ(run({"results"}).err.find("no rate"), std::string::npos) << "its file is there";
  EXPECT_EQ(run({"results", kBlur}).err.find("no rate"), std::string::npos);
  const Finished errors = run({"results", "--sweep", id, "--outcome", "compile_failed"});
  expect_parts(errors.out, {"blur.cu:13:3: error: ", "BLOCK=96 (1 other: default)\n"});
  EXPECT_EQ(errors.out.find("In function"), std::string::npos) << "the cause alone\n" << errors.out;
  const Finished whole = run({"results", "--sweep", id, "--outcome", "failed", "--verbose"});
  expect_parts(whole.out, {"In function", "wrong_answer", "compile_failed"});
  EXPECT_EQ(run({"results", "--sweep", id, "--outcome", "wrong"}).status, 2);
}

TEST_F(Summary, CanBeTheWinnerAloneOrEverything) {
  const Finished quiet = sweep({"gemm/naive", "M=N=K=32", "--budget", "3", "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(std::ranges::count(quiet.out, '\n'), 1) << quiet.out;
  EXPECT_TRUE(quiet.out.starts_with("gemm/naive ")) << quiet.out;
  const Finished all = sweep({"gemm/naive", "M=N=K=32", "--budget", "3", "-v"});
  expect_parts(all.out, {"gemm/naive: 42 combinations, 30 legal", "outcomes: 3 measured",
                         "answers: checked ", "wall time: "});
}

TEST_F(Summary, IsAsciiWhereTheLocaleIsNot) {
  const Finished finished = sweep({"gemm/naive", "M=N=K=32", "--budget", "3"}, {"LC_ALL=C"});
  EXPECT_TRUE(std::ranges::all_of(finished.out, [](char c) { return c > 0; })) << finished.out;
  expect_parts(finished.out, {" us  "});
  const Finished json = run({"kernels", "gemm", "--json"}, {"LC_ALL=C"});
  EXPECT_NE(json.out.find("·"), std::string::npos) << "JSON is UTF-8 everywhere";
}

TEST_F(Summary, ExplainSaysWhyAndWhatIsNear) {
  ASSERT_EQ(sweep({kBlur}).status, 0);
  const auto explain = [this](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"explain", kBlur, "--device", "host"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Finished wrong = explain({"VECTOR=4"});
  EXPECT_EQ(wrong.status, 0) << wrong.err;
  expect_parts(wrong.out, {"in the space", ": wrong_answer: out[4095] is 0.25",
                           "nearest legal configurations, by the parameters that they change\n",
                           "VECTOR=8", "  wrong_answer  BLOCK=32\n"});
  expect_parts(explain({"BLOCK=96"}).out, {": compile_failed: blur.cu:13:3: error: "});
  expect_parts(explain({"BLOCK=32", "VECTOR=8"}).out, {", rank ", " of 16"});
  EXPECT_EQ(explain({"VECTOR=5"}).status, 2);
  EXPECT_EQ(explain({"WIDTH=5"}).status, 2);
  const auto json = nlohmann::json::parse(explain({"VECTOR=4", "--json"}).out);
  EXPECT_EQ(json.at("in_space"), true);
  EXPECT_EQ(json.at("sweeps").at(0).at("trial").at("outcome"), "wrong_answer");
}

TEST_F(Summary, ExplainNamesEveryRuleThatIsBroken) {
  const Finished finished =
      run({"explain", "gemm/tiled", "M=N=K=64", "COARSEN_Y=8", "VECTOR=2", "--device", "host"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  expect_parts(finished.out, {"not in the space", "COARSEN_X is a multiple of VECTOR\n",
                              "requires COARSEN_X % VECTOR == 0\n", "here COARSEN_X=1 VECTOR=2\n",
                              "the tile of a thread is at most 4 times as long as wide",
                              "no sweep of this problem on this device"});
  EXPECT_EQ(run({"explain", "gemm", "M=64"}).status, 2);
}

TEST_F(Summary, AHeaderHasConstantsAndLaunches) {
  ASSERT_EQ(sweep({kBlur, "--quiet"}).status, 0);
  const std::string file = home_ / "tile.h";
  ASSERT_EQ(run({"best", kBlur, "--device", "host", "--format", "header", "-o", file}).status, 0);
  const std::string header = content_of(file);
  expect_parts(header, {"namespace tilewright::blur_tile {",
                        "inline constexpr int VECTOR = ", "{\"blur\", {", "workspace_bytes = 0;"});
  EXPECT_EQ(header.find("#define"), std::string::npos);
  const std::string source = home_ / "use.cpp";
  write_text(source,
             "#define VECTORS 1\n#include \"tile.h\"\n#include \"tile.h\"\n"
             "static_assert(tilewright::blur_tile::launches[0].block[0] == "
             "tilewright::blur_tile::BLOCK);\n");
  EXPECT_EQ(std::system(("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only " + source).c_str()),
            0);
  const Finished unmeasured = run({"best", kBlur, "width=77777", "--device", "host", "--format",
                                   "header", "--output", home_ / "none.h"});
  EXPECT_EQ(run({"best", kBlur, "--output", file}).status, 2) << "only with a header";
  EXPECT_EQ(unmeasured.status, 0) << "a near problem was measured";
}

TEST(SummaryWithoutResults, AnUnmeasuredDefaultIsNoTile) {
  const TemporaryFolder home;
  const auto best = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"best", kBlur, "--device", "host", "--format", "defines"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home.path(), words);
  };
  const Finished refused = best({});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("--require any"), std::string::npos) << refused.err;
  EXPECT_EQ(best({"--require", "any"}).out, "-DBLOCK=128 -DVECTOR=1\n");
}

// What the program writes on a terminal of 80 columns, by script(1).
std::string on_terminal(const TemporaryFolder& home, const std::string& kind,
                        const std::vector<std::string>& words) {
  return run_tilewright_within(
             home.path(), {"sh", "-c", "TERM=" + kind + " exec script -qec \"$*\" /dev/null", "sh"},
             words)
      .out;
}

TEST_F(Summary, FitsTheTerminal) {
  if (std::system("command -v script > /dev/null 2>&1") != 0) GTEST_SKIP() << "no script(1)";
  const std::vector<std::string> words = {"sweep", "gemm/naive", "M=N=K=32", "--budget",
                                          "3",     "--device",   "host"};
  const std::string dumb = on_terminal(home_, "dumb", words);
  EXPECT_NE(dumb.find("3 to try"), std::string::npos) << dumb;
  EXPECT_EQ(dumb.find('\x1b'), std::string::npos) << dumb;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"results"}, {"results", "--sweep", sweep_id()}}) {
    std::istringstream lines(on_terminal(home_, "dumb", command));
    for (std::string line; std::getline(lines, line);) {
      line.erase(line.find_last_not_of('\r') + 1);
      EXPECT_LE(width_of(line), 80) << line;
      EXPECT_TRUE(line.empty() || line.find_first_not_of(' ') != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tilewright::test
