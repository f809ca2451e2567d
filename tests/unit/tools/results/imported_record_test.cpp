#include "tools/results/imported_record.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/sweep/fakes.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

using tilewright::test::CopyDefinition;

// The record of a file that has one.
Record read_record(std::string_view bytes, const std::string& name) {
  std::vector<Record> records = tilewright::read_records(bytes, name);
  EXPECT_EQ(records.size(), 1U);
  return std::move(records.at(0));
}

// The same results of T4 as its two spellings have them: mean of runtimes and `compilation_time`,
// or a measurement named time and `compilation`.
constexpr const char* kRuntimes = R"({"schema_version": "1.0.0",
"metadata": {"timeunit": "miliseconds"}, "results": [
{"timestamp": "2023-01-02 03:04:05.6+00:00", "configuration": {"bx": 32, "UNUSED": 0, "vendor": 7},
 "times": {"compilation_time": 9, "runtimes": [0.010, 0.014]}, "invalidity": "correct"},
{"timestamp": "2023-01-02 03:04:06.6+00:00", "configuration": {"bx": 64, "UNUSED": 0, "vendor": 7},
 "times": {"compilation_time": 9, "runtimes": [0.008]}, "invalidity": "correct"},
{"timestamp": "2023-01-02 03:04:04.6+00:00", "configuration": {"bx": 128, "UNUSED": 0, "vendor": 7},
 "times": {"compilation_time": 9, "runtimes": []}, "invalidity": "compile"},
{"timestamp": "2023-01-02 03:04:04.6+00:00", "configuration": {"bx": 96, "UNUSED": 0, "vendor": 7},
 "times": {"compilation_time": 9, "runtimes": [0.001]}, "invalidity": "correct"}]})";

constexpr const char* kMeasurements = R"({"schema_version": "1.0.0", "results": [
{"timestamp": "2023-01-02T03:04:05", "configuration": {"bx": 32, "UNUSED": 0, "vendor": 7},
 "times": {"compilation": 9, "runtimes": [77]}, "invalidity": "correct",
 "measurements": [{"name": "GB/s", "value": 1}, {"name": "time", "value": 0.012, "unit": "ms"}]},
{"timestamp": "2023-01-02T03:04:06", "configuration": {"bx": 64, "UNUSED": 0, "vendor": 7},
 "times": {"compilation": 9}, "invalidity": "correct",
 "measurements": [{"name": "time", "value": 8, "unit": "us"}]},
{"timestamp": "2023-01-02T03:04:04", "configuration": {"bx": 128, "UNUSED": 0, "vendor": 7},
 "times": {"compilation": 9}, "invalidity": "compile",
 "measurements": [{"name": "time", "value": "CompilationFailedConfig"}]},
{"timestamp": "2023-01-02T03:04:04", "configuration": {"bx": 96, "UNUSED": 0, "vendor": 7},
 "times": {"compilation": 9}, "invalidity": "correct",
 "measurements": [{"name": "time", "value": 0.001, "unit": "ms"}]}]})";

class ImportedT4 : public ::testing::TestWithParam<const char*> {
 protected:
  ImportedT4() {
    meaning_.implementation = &copy_.implementation;
    meaning_.problem = {"copy", {{"N", 4096}}};
    meaning_.device = copy_.request.device;
    meaning_.renamed = {{"bx", "BLOCK"}};
  }
  ImportedRecord imported() const {
    return import_record(read_record(GetParam(), "t4.json"), GetParam(), meaning_);
  }

  CopyDefinition copy_;
  RecordMeaning meaning_;
};

INSTANTIATE_TEST_SUITE_P(BothSpellings, ImportedT4, ::testing::Values(kRuntimes, kMeasurements));

TEST_P(ImportedT4, IsASweepOfOurs) {
  const ImportedRecord read = imported();
  EXPECT_EQ(read.outside, 1U) << "96 is no value of BLOCK";
  const SweepRecord& sweep = read.imported.sweep;
  EXPECT_TRUE(sweep.imported);
  EXPECT_EQ(sweep.key.problem, meaning_.problem);
  EXPECT_EQ(sweep.finished, 1672628646);  // the newest of its moments
  ASSERT_EQ(read.imported.trials.size(), 3U);
  const std::vector<Trial>& trials = read.imported.trials;
  EXPECT_EQ(trials[0].configuration, (Configuration{{{"BLOCK", 32}, {"UNUSED", 0}}}));
  EXPECT_DOUBLE_EQ(trials[0].timing->median_us, 12);
  EXPECT_DOUBLE_EQ(trials[1].timing->median_us, 8);
  EXPECT_EQ(trials[2].outcome, Outcome::compile_failed);
  EXPECT_FALSE(trials[2].timing);
  for (const Trial& trial : trials) EXPECT_FALSE(trial.verification);
}

TEST_P(ImportedT4, AnswersWhereNothingOfOurOwnDoes) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tilewright-t4-" + std::to_string(::getpid()));
  {
    Store store(folder / "t4.db");
    EXPECT_EQ(store.import_sweeps({imported().imported}).added, 1U);
    EXPECT_EQ(store.import_sweeps({imported().imported}).added, 0U);
    const std::vector<BestRow> rows = store.best({});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().configuration.values.at("BLOCK"), Value(64));
    EXPECT_TRUE(rows.front().imported);
  }
  std::filesystem::remove_all(folder);
}

TEST_P(ImportedT4, ThatWasCutIsNotFinished) {
  const std::string cut = std::string(GetParam()).substr(0, std::string(GetParam()).size() - 2);
  const ImportedRecord read = import_record(read_record(cut, "t4.json"), cut, meaning_);
  EXPECT_EQ(read.imported.trials.size(), 3U);
  EXPECT_EQ(read.imported.sweep.started, 1672628646);
  EXPECT_EQ(read.imported.sweep.finished, 0);
  EXPECT_EQ(read.imported.sweep.key.budget, 0U) << "nobody knows how many there are";
}

TEST_P(ImportedT4, ParametersThatAreNobodysAreNamed) {
  meaning_.renamed.clear();
  try {
    imported();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'bx'"), std::string::npos) << error.what();
  }
}

TEST_P(ImportedT4, OfAnotherProblemIsRefusedByItsSize) {
  const auto with_size = [&](std::vector<std::int64_t> sizes) {
    Record record = read_record(GetParam(), "t4.json");
    record.problem_size = std::move(sizes);
    return record;
  };
  meaning_.problem.values = {{"M", 64}, {"N", 4096}, {"mode", "wrap"}};
  for (const std::vector<std::int64_t>& sizes : std::vector<std::vector<std::int64_t>>{
           {}, {1}, {4096}, {4096, 1}, {64, 4096}, {64 * 4096}, {4096, 64, 1}})
    EXPECT_TRUE(is_for(with_size(sizes), meaning_.problem)) << testing::PrintToString(sizes);
  for (const std::vector<std::int64_t>& sizes :
       std::vector<std::vector<std::int64_t>>{{4095}, {4096, 4096 + 1}, {128}, {0}, {-64}})
    EXPECT_FALSE(is_for(with_size(sizes), meaning_.problem)) << testing::PrintToString(sizes);
  try {
    import_record(with_size({64, 8192}), GetParam(), meaning_);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_NE(
        std::string(error.what()).find("t4.json: its 'problem_size' 64, 8192 contradicts M=64"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tilewright::tools
