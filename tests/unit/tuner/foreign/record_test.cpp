#include "tuner/foreign/record.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/gzip.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

const std::string kHead = R"({"device_name": "NVIDIA A100", "kernel_name": "conv",
"problem_size": [4096, 4096], "tune_params_keys": ["x", "mode", "fast"],
"tune_params": {"x": [16, 32], "mode": ["a", "b"], "fast": [true]}, "objective": "time", "cache": {
)";
const std::string kMeasured =
    R"("16,a,True": {"x": 16, "mode": "a", "fast": true, "time": 3.5, "times": [3.6, 3.4]})";
const std::string kFailedOld =
    R"("32,a,True": {"x": 32, "mode": "a", "fast": true, "time": "RuntimeFailedConfig"})";
const std::string kFailedNew =
    R"("32,b,True": {"x": 32, "mode": "b", "fast": true, "__error__": "CompilationFailedConfig"})";

using test::gzip;

const Trial* with(const Record& record, std::int64_t x, const std::string& mode) {
  for (const Trial& trial : record.trials)
    if (trial.configuration.values == Settings{{"fast", std::int64_t{1}}, {"mode", mode}, {"x", x}})
      return &trial;
  return nullptr;
}

TEST(Cache, OldAndNewFailuresAndTimesInMilliseconds) {
  const Record record =
      read_record(kHead + kMeasured + ",\n" + kFailedOld + ",\n" + kFailedNew + "}\n}", "f.json");
  EXPECT_EQ(record.kernel, "conv");
  EXPECT_EQ(record.device, "NVIDIA A100");
  EXPECT_TRUE(record.is_complete);
  ASSERT_EQ(record.trials.size(), 3U);
  ASSERT_NE(with(record, 16, "a"), nullptr);
  EXPECT_EQ(with(record, 16, "a")->outcome, Outcome::measured);
  EXPECT_EQ(with(record, 16, "a")->timing->median_us, 3500);
  ASSERT_NE(with(record, 32, "a"), nullptr);
  EXPECT_EQ(with(record, 32, "a")->outcome, Outcome::launch_failed);
  EXPECT_FALSE(with(record, 32, "a")->timing);
  ASSERT_NE(with(record, 32, "b"), nullptr);
  EXPECT_EQ(with(record, 32, "b")->outcome, Outcome::compile_failed);
  EXPECT_EQ(best_time_us(record), 3500);
}

TEST(Cache, EndsEarlyAtAnyPlaceAfterTheFirstEntry) {
  const std::string whole = kHead + kMeasured + ",\n" + kFailedOld + ",\n" + kFailedNew + "}\n}";
  const std::size_t first = (kHead + kMeasured).size();
  for (std::size_t size = first; size < whole.size(); ++size) {
    const Record record = read_record(whole.substr(0, size), "f.json");
    EXPECT_FALSE(record.is_complete) << size;
    EXPECT_GE(record.trials.size(), 1U) << size;
    EXPECT_LE(record.trials.size(), 3U) << size;
  }
  EXPECT_EQ(read_record(whole.substr(0, whole.size() - 1), "f").trials.size(), 3U);
}

TEST(Cache, GzippedIsTheSameAndCutIsWhatIsLeft) {
  std::string whole = kHead + kMeasured;
  for (int x = 100; x < 1100; ++x)
    whole += ",\n\"" + std::to_string(x) + R"(,a,True": {"x": )" + std::to_string(x) +
             R"(, "mode": "a", "fast": true, "time": )" + std::to_string(x * 37 % 1001 + 4) + "}";
  whole += "}\n}";
  const std::string packed = gzip(whole);
  EXPECT_EQ(gunzip(packed).text, whole);
  EXPECT_TRUE(gunzip(packed).is_complete);
  EXPECT_EQ(gunzip(packed + packed).text, whole + whole);
  const Record all = read_record(packed, "f.json.gz");
  EXPECT_TRUE(all.is_complete);
  EXPECT_EQ(all.trials.size(), 1001U);
  const Record cut = read_record(packed.substr(0, packed.size() / 2), "f.json.gz");
  EXPECT_FALSE(cut.is_complete);
  EXPECT_GT(cut.trials.size(), 100U);
  EXPECT_LT(cut.trials.size(), 900U);
}

TEST(Cache, EndsEarlyBehindTheLastEntryThatIsWhole) {
  // Brackets and quotes in texts are no brackets, and an inner object is no entry.
  const std::string entry = R"("1": {"x": 1, "mode": "}\"]{", "fast": {"a": {}}, "time": 1})";
  for (const char* rest :
       {R"(, "2": {"x": 2, "fast": {"a": {}})", R"(, "2": {"x": 2, "fast": {"a": 1}, "mode": "}})"})
    EXPECT_EQ(read_record(kHead + entry + rest, "f.json").trials.size(), 1U) << rest;
}

TEST(Gunzip, StopsAtTheLimit) {
  constexpr std::size_t most = std::size_t{4} << 20;
  const std::string bomb = gzip(std::string(8 * most, ' '));
  EXPECT_LT(bomb.size(), most / 100);
  for (const std::string& bytes : {bomb, bomb + bomb, gzip(std::string(most, ' ')) + gzip(" ")}) {
    try {
      gunzip(bytes, most);
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "unpacks to more than 4 MiB");
    }
  }
  EXPECT_EQ(gunzip(gzip(std::string(most, ' ')), most).text.size(), most);
}

TEST(Gunzip, LeavesOtherTextAlone) {
  EXPECT_EQ(gunzip("{}").text, "{}");
  EXPECT_EQ(gunzip("").text, "");
  EXPECT_FALSE(gunzip(std::string("\x1f\x8b damaged")).is_complete);
}

TEST(Results, BothSpellingsOfT4) {
  const std::string text = R"({"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds"},
"results": [
{"configuration": {"x": 1}, "times": {"compilation_time": 4, "runtimes": [1.5, 2.5]},
 "invalidity": "correct", "correctness": 1, "measurements": []},
{"configuration": {"x": 2}, "times": {"compilation": 4, "runtimes": [9]}, "invalidity": "correct",
 "measurements": [{"name": "GFLOP/s", "value": 7}, {"name": "time", "value": 1.25, "unit": "ms"}]},
{"configuration": {"x": 3}, "times": {"compilation": 4}, "invalidity": "runtime",
 "measurements": [{"name": "time", "value": "RuntimeFailedConfig"}]},
{"configuration": {"x": 4}, "invalidity": "compile", "measurements": []}]})";
  const Record record = read_record(text, "t4.json");
  ASSERT_EQ(record.trials.size(), 4U);
  EXPECT_EQ(record.trials[0].timing->median_us, 2000);
  EXPECT_EQ(record.trials[1].timing->median_us, 1250);
  EXPECT_EQ(record.trials[2].outcome, Outcome::launch_failed);
  EXPECT_EQ(record.trials[3].outcome, Outcome::compile_failed);
  const Record cut = read_record(std::string_view(text).substr(0, text.size() - 30), "t4.json");
  EXPECT_FALSE(cut.is_complete);
  EXPECT_EQ(cut.trials.size(), 3U);
}

TEST(Results, OfT4SayWhatUnitTheirTimesHave) {
  const auto times = [](const std::string& unit, const std::string& measurement) {
    const std::string text = R"({"metadata": {"timeunit": ")" + unit + R"("}, "results": [
{"configuration": {"x": 1}, "times": {"runtimes": [2, 4]}, "invalidity": "correct"},
{"configuration": {"x": 2}, "invalidity": "correct",
 "measurements": [{"name": "time", "value": 5)" +
                             measurement + "}]}]}";
    const Record record = read_record(text, "t4.json");
    return std::pair(record.trials[0].timing->median_us, record.trials[1].timing->median_us);
  };
  EXPECT_EQ(times("microseconds", ""), std::pair(3.0, 5.0));
  EXPECT_EQ(times("milliseconds", R"(, "unit": "us")"), std::pair(3000.0, 5.0));
  EXPECT_EQ(times("seconds", R"(, "unit": "ms")"), std::pair(3e6, 5000.0));
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    read_record(text, "f.json");
    ADD_FAILURE() << "no error for " << text;
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("f.json: ")) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Record, WhatIsNoneIsRefusedInOneSentence) {
  expect_refused("", "ends at byte 0");
  expect_refused("hello", "not JSON");
  expect_refused("{}", "neither");
  expect_refused("[1, 2]", "neither");
  expect_refused(R"({"results": []})", "none of its 0 configurations");
  expect_refused(R"({"results": [{"invalidity": "correct"}]})", "configuration");
  expect_refused(kHead + kFailedOld + "}}", "none of its 1 configurations");
  expect_refused(R"({"cache": {"1": 5}, "tune_params_keys": ["x"]})", "replay reads");
  expect_refused(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": )" +
                     std::string(100'000, '[') + std::string(100'000, ']') + "}}}",
                 "nests deeper than 100 levels");
  expect_refused(std::string(100'000, '{'), "nests deeper than 100 levels");
  const std::string whole = kHead + kMeasured + "}\n}";
  expect_refused(whole + whole, "not JSON at byte " + std::to_string(whole.size() + 1));
}

TEST(Record, ThatEndsBeforeItsFirstTimeIsSaidToEnd) {
  const std::string whole = kHead + kMeasured + "}\n}";
  for (std::size_t size = 0; size < (kHead + kMeasured).size(); ++size) {
    expect_refused(whole.substr(0, size), "ends ");
    expect_refused(gzip(whole).substr(0, 12 + size % 20), "ends ");
  }
}

// One correct result with these other keys.
std::string result_with(const std::string& more) {
  return R"({"results": [{"configuration": {"x": 1}, "invalidity": "correct", )" + more + "}]}";
}

std::string objective_in(const std::string& unit) {
  return result_with(
      R"("objectives": ["TotalDuration"], "times": {"runtimes": [700]},
"measurements": [{"name": "Time", "value": 3, "unit": "s"},
                 {"name": "TotalDuration", "value": 5, "unit": ")" +
      unit + "\"}]");
}

double time_in_us(const std::string& text) {
  return read_record(text, "f.json").trials.at(0).timing->median_us;
}

TEST(Results, TheMeasurementOfTheObjectiveCountsInAnySpellingOfItsUnit) {
  for (const auto& [us, spellings] : std::initializer_list<std::pair<double, std::string>>{
           {1e6, "s S sec secs second Seconds SECONDS"},
           {1e3, "ms MS msec msecs millisecond Milliseconds miliseconds"},
           {1, "us US \u00B5s \u03BCs usec Microsecond Microseconds microSeconds"},
           {1e-3, "ns NS nsec nanosecond Nanoseconds"}}) {
    std::istringstream words(spellings);
    for (std::string unit; words >> unit;)
      EXPECT_DOUBLE_EQ(time_in_us(objective_in(unit)), 5 * us) << unit;
  }
}

TEST(Results, AnUnknownUnitIsRefusedByName) {
  const std::string accepted = "s, ms, us (or µs) and ns are accepted";
  for (const char* unit : {"fortnights", "m", "min", "sms", "microsecond s", "1"}) {
    const std::string is_unknown = "'" + std::string(unit) + "', not ";
    expect_refused(objective_in(unit),
                   "result 1: the unit of the measurement 'TotalDuration' is " + is_unknown);
    expect_refused(objective_in(unit), accepted);
    const std::string time = R"("measurements": [{"name": "time", "value": 5, "unit": ")";
    expect_refused(result_with(time + unit + "\"}]"), "'time' is " + is_unknown);
    const std::string metadata = R"({"metadata": {"timeunit": ")" + std::string(unit) + "\"}, ";
    expect_refused(metadata + result_with(time + "ms\"}]").substr(1),
                   "'metadata.timeunit' is " + is_unknown);
  }
}

// As Kernel Tuner writes them: a metric has no unit, or is its own, and the time is beside it.
TEST(Results, OfAnObjectiveThatIsNoTimeHaveTheTimeBesideIt) {
  for (const char* unit : {"", "GFLOP/s"})
    for (const char* objectives : {R"(["GFLOP/s"])", R"("GFLOP/s")", R"(["GFLOP/s", "time"])"})
      EXPECT_EQ(
          time_in_us(result_with(R"("objectives": )" + std::string(objectives) +
                                 R"(, "measurements": [{"name": "GFLOP/s", "value": 7, "unit": ")" +
                                 unit + R"("}, {"name": "time", "value": 5, "unit": "ms"}])")),
          5000);
  const std::string rate =
      R"("objectives": ["rate"], "measurements": [{"name": "rate", "value": 7}], )";
  EXPECT_EQ(time_in_us(result_with(rate + R"("times": {"runtimes": [1, 3]})")), 2000);
}

TEST(Record, AConfigurationThatIsThereTwiceCountsOnce) {
  const Record record = read_record(
      R"({"results": [{"configuration": {"x": 1.5}, "invalidity": "correct",
                       "times": {"runtimes": [1]}},
                      {"configuration": {"x": 1.5}, "invalidity": "correct",
                       "times": {"runtimes": [2]}},
                      {"configuration": {"x": 10}, "invalidity": "correct",
                       "times": {"runtimes": [2]}}]})",
      "f.json");
  EXPECT_EQ(record.trials.size(), 2U);
  const SearchGrid grid = grid_of(record);
  EXPECT_EQ(grid.axes.at(0).values, (std::vector<double>{1.5, 10}));
}

}  // namespace
}  // namespace tilewright
