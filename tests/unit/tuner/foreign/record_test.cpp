#include "tuner/foreign/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

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

// The record of a file that has one.
Record read_record(std::string_view bytes, const std::string& name) {
  std::vector<Record> records = read_records(bytes, name);
  EXPECT_EQ(records.size(), 1U);
  return std::move(records.at(0));
}

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
  expect_refused("{}", "no results in it");
  expect_refused("[1, 2]", "no results in it");
  expect_refused(R"({"results": []})", "none of its 0 configurations");
  expect_refused(R"({"results": [{"invalidity": "correct"}]})", "configuration");
  expect_refused(kHead + kFailedOld + "}}", "none of its 1 configurations");
  expect_refused(R"({"cache": {"1": 5}, "tune_params_keys": ["x"]})",
                 "accepted are Kernel Tuner's cache files");
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

TEST(Record, NumbersThatAreEqualAreOneValue) {
  const std::string text = R"({"tune_params_keys": ["x", "y"], "cache": {
"32.0": {"x": 32.0, "y": 1.5, "time": 1}, "32": {"x": 32, "y": 1.5, "time": 2},
"1e18": {"x": 1e18, "y": true, "time": 2}}})";
  const Record record = read_record(text, "f.json");
  ASSERT_EQ(record.trials.size(), 2U);
  const auto has = [&](const Settings& values) {
    return std::ranges::any_of(
        record.trials, [&](const Trial& trial) { return trial.configuration.values == values; });
  };
  EXPECT_TRUE(has({{"x", 32}, {"y", "1.5"}}));
  EXPECT_TRUE(has({{"x", "1e+18"}, {"y", 1}})) << "beyond the whole numbers that are exact";
}

TEST(Record, NumbersThatJsonLacksAreNoTimes) {
  const std::string text = R"({"tune_params_keys": ["x"], "cache": {
"1": {"x": 1, "time": NaN, "times": [NaN, -Infinity]}, "2": {"x": 2, "time": Infinity},
"3": {"x": 3, "time": 1.0, "GB/s": NaN, "note": "a \" NaN", "Infinity": -Infinity}}})";
  const Record record = read_record(text, "f.json");
  ASSERT_EQ(record.trials.size(), 3U);
  EXPECT_EQ(record.trials[0].message, "NaN");
  EXPECT_EQ(record.trials[1].message, "Infinity");
  EXPECT_FALSE(record.trials[0].timing || record.trials[1].timing);
  EXPECT_EQ(best_time_us(record), 1000);
  const std::string cut = text.substr(0, text.find(", \"note\""));
  EXPECT_THROW(read_record(cut, "f.json"), InputError) << "no time is left";
}

TEST(Cache, SaysWhatProblemSizeItHas) {
  const auto sizes = [](const std::string& size) {
    return read_record(R"({"tune_params_keys": ["x"], "problem_size": )" + size +
                           R"(, "cache": {"1": {"x": 1, "time": 1}}})",
                       "f.json")
        .problem_size;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizes("4096"), Sizes{4096});
  EXPECT_EQ(sizes("\"4096\""), Sizes{4096});
  EXPECT_EQ(sizes("[4096, \"32\"]"), (Sizes{4096, 32}));
  for (const char* none : {"\"callable\"", "[4096, \"n * 2\"]", "null", "{}", "0", "\"\"", "[]"})
    EXPECT_EQ(sizes(none), Sizes{}) << none;
}

// As KTT's JSON serialiser writes them.
std::string ktt(const std::string& unit) {
  return R"({"Metadata": {"ComputeApi": "CUDA", "Device": "NVIDIA A100", "KttVersion": "2.2.0",
"TimeUnit": ")" +
         unit + R"(", "Timestamp": "2026-04-21 07:19:6 UTC"},
"Results": [
{"KernelName": "add", "Status": "Ok", "TotalDuration": 89.5, "ExtraDuration": 0.0,
 "ComputationResults": [{"KernelFunction": "add", "Duration": 7}],
 "Configuration": [{"Name": "bx", "Value": 32, "ValueType": "UnsignedInt"},
                   {"Name": "scale", "Value": 2.0, "ValueType": "Double"}]},
{"KernelName": "add", "Status": "CompilationFailed", "TotalDuration": 0.0,
 "Configuration": [{"Name": "bx", "Value": 64}, {"Name": "scale", "Value": 2.0}]},
{"KernelName": "add", "Status": "ValidationFailed", "TotalDuration": 5.0,
 "Configuration": [{"Name": "bx", "Value": 128}, {"Name": "scale", "Value": 2.0}]}]})";
}

TEST(Ktt, ResultsHaveTheUnitOfTheirMetadata) {
  for (const auto& [unit, us] : std::initializer_list<std::pair<const char*, double>>{
           {"Nanoseconds", 0.0895}, {"Microseconds", 89.5}, {"Seconds", 89.5e6}}) {
    const Record record = read_record(ktt(unit), "ktt.json");
    EXPECT_EQ(record.device, "NVIDIA A100");
    EXPECT_EQ(record.kernel, "add");
    ASSERT_EQ(record.trials.size(), 3U);
    EXPECT_EQ(record.trials[0].configuration.values, (Settings{{"bx", 32}, {"scale", 2}}));
    EXPECT_DOUBLE_EQ(record.trials[0].timing->median_us, us);
    EXPECT_EQ(record.trials[1].outcome, Outcome::compile_failed);
    EXPECT_EQ(record.trials[2].message, "ValidationFailed");
    EXPECT_FALSE(record.trials[2].timing);
  }
  expect_refused(ktt("Fortnights"), "'Metadata.TimeUnit' is 'Fortnights', not a unit of time");
  const std::string whole = ktt("Microseconds");
  const Record cut = read_record(whole.substr(0, whole.size() - 60), "ktt.json");
  EXPECT_FALSE(cut.is_complete);
  EXPECT_EQ(cut.trials.size(), 2U);
}

// A wisdom file of Kernel Launcher: a header, then a line for each result.
std::string wisdom(const std::string& rest) {
  return R"({"version": "1.0", "objective": "time", "tunable_parameters": ["bx", "work"], )"
         R"("key": "add"})"
         "\n# a comment\n\n" +
         rest;
}

std::string wisdom_line(const std::string& config, const std::string& size,
                        const std::string& device, double ms) {
  return R"({"config": [)" + config + R"(], "problem_size": )" + size + R"(, "time": )" +
         std::to_string(ms) + R"(, "environment": {"device_name": ")" + device + "\"}}\n";
}

TEST(Wisdom, IsARecordForEachDeviceAndProblemSize) {
  const std::string text = wisdom(
      wisdom_line("32, 1", "[1000]", "A100", 0.5) + wisdom_line("64, 1.0", "[1000]", "A100", 0.25) +
      wisdom_line("64, 1", "[5000, 2]", "A100", 4) + wisdom_line("64, 2", "[1000]", "H100", 0.125));
  const std::vector<Record> records = read_records(gzip(text), "add.wisdom");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].device, "A100");
  EXPECT_EQ(records[0].problem_size, std::vector<std::int64_t>{1000});
  ASSERT_EQ(records[0].trials.size(), 2U);
  EXPECT_EQ(records[0].trials[1].configuration.values, (Settings{{"bx", 64}, {"work", 1}}));
  EXPECT_EQ(best_time_us(records[0]), 250);
  EXPECT_EQ(records[1].problem_size, (std::vector<std::int64_t>{5000, 2}));
  EXPECT_EQ(records[2].device, "H100");
  EXPECT_EQ(records[2].kernel, "add");
  EXPECT_TRUE(records[2].is_complete);
  const Record cut = read_record(text.substr(0, text.find("64, 1.0")), "add.wisdom");
  EXPECT_FALSE(cut.is_complete);
  EXPECT_EQ(cut.trials.size(), 1U);
}

TEST(Wisdom, ThatIsNoneIsRefusedInOneSentence) {
  expect_refused(wisdom(""), "no results after its first line");
  const std::string good = wisdom_line("32, 1", "[1000]", "A100", 0.5);
  expect_refused(wisdom("hello\n" + good), "line 4 is no JSON object");
  expect_refused(wisdom(wisdom_line("32", "[1]", "A100", 1)), "must have 2 values");
  expect_refused(wisdom("{}\n"), "as a wisdom file of Kernel Launcher");
}

TEST(Format, IsRecognisedInATextThatEndsEarlyToo) {
  const std::string cache = kHead + kMeasured;
  EXPECT_EQ(foreign_format(cache.substr(0, cache.size() - 5)), "a cache of Kernel Tuner");
  EXPECT_EQ(foreign_format(objective_in("ms")), "a file of T4 results");
  EXPECT_EQ(foreign_format(ktt("Seconds")), "a file of KTT's results");
  EXPECT_EQ(foreign_format(wisdom("")), "a wisdom file of Kernel Launcher");
  EXPECT_EQ(foreign_format(R"({"format": "tilewright", "results": []})"), "");
}

}  // namespace
}  // namespace tilewright
