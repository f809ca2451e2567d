#include "definition/command.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

TEST(Command, IsWhatItsEvaluatorIs) {
  const Command command{{"./bench", "--", "--time=3"}, "took {ms}", "PASSED"};
  const auto found = command_in(evaluator_of(command));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->words, command.words);
  EXPECT_EQ(found->time, command.time);
  EXPECT_EQ(found->expect, command.expect);
  EXPECT_TRUE(command_in(evaluator_of({{"true"}})));
  for (const auto& words :
       std::vector<std::vector<std::string>>{{},
                                             {"a"},
                                             {"python3", "a.py"},
                                             {"a", "--command"},
                                             {"a", "--command", "--"},
                                             {"a", "--command", "b", "--", "c"}})
    EXPECT_FALSE(command_in(words)) << words.size();
}

TEST(Command, NamesInBracesAreFilled) {
  const auto doubled = [](const std::string& name) { return name + name; };
  EXPECT_EQ(filled("--tile={TILE}x{n_2}", doubled), "--tile=TILETILExn_2n_2");
  for (const char* same : {"", "plain", "{", "}", "{}", "a}b{", "{2}", R"({"n": 3})", "{{}}"})
    EXPECT_EQ(filled(same, doubled), same);
  EXPECT_EQ(filled("{{a}}", doubled), "{aa}");
}

TEST(TimePattern, FindsTheFirstTimeOfALine) {
  const struct {
    const char *pattern, *line;
    std::optional<double> microseconds;
  } cases[] = {
      {"took {ms}", "round 3 took 1.5 ms", 1500.0},
      {"took {us} us", "took 1.5 ms, took 7us", 7.0},
      {"Time (s) : {s}", "Time (s) :   2.5e-3", 2500.0},
      {"{ns} ns/op", "BenchmarkX 1000   12.5 ns/op", 0.0125},
      {"{us}", "nothing", std::nullopt},
      {"{us}", "1 and 2", 1.0},
      {"took {ms}", "took", std::nullopt},
      {"took {ms}", "took nan", std::nullopt},
      {"took {ms} ms", "took 3 s", std::nullopt},
      {"took {ms}", "", std::nullopt},
      {"{ms} ms", "1,234.5 ms", std::nullopt},
      {"{ms} ms", "1e999 ms", std::nullopt},
      {"{ms} ms", "1e-400 ms", std::nullopt},
      {"{ms} ms", "fp16 ms, 1e999 ms, 5 ms", 5000.0},
      {"{ms} ms", "gemm,2.5 ms", 2500.0},
      {"{ms} ms", "-2.5 ms", -2500.0},
      {"{ms} ms", "(.5 ms)", 500.0},
      {"took{ms}", "took5", 5000.0},
      {"took {ms}", "took 5, then 6", 5000.0},
      {"took {ms}", "took 5 6", 5000.0},
      {"took {ms},", "took 1,234.5", 1000.0},
      {"took {ms} s", "took 5 s", 5000.0},
  };
  for (const auto& one : cases) {
    const auto found = TimePattern(one.pattern).find(one.line);
    ASSERT_EQ(found.has_value(), one.microseconds.has_value()) << one.pattern << ": " << one.line;
    EXPECT_DOUBLE_EQ(found.value_or(0), one.microseconds.value_or(0)) << one.pattern;
  }
}

TEST(TimePattern, AnUnclearNumberIsNoTime) {
  for (const char* line :
       {"took 1,234.5 ms", "took 1'234", "took 3:25.1", "took 1.5.2", "took 5 s", "took 5us.",
        "took 1\xE2\x80\xAF"
        "234"})
    EXPECT_THROW(TimePattern("took {ms}").find(line), InputError) << line;
}

TEST(TimePattern, HasOneUnit) {
  for (const char* pattern : {"", "took", "{us} {ms}", "{us} {us}", "{min}"})
    EXPECT_THROW(TimePattern{pattern}, InputError) << pattern;
}

}  // namespace
}  // namespace tilewright
