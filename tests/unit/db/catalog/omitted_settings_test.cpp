#include <gtest/gtest.h>

#include "db/store/store.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/catalog.hpp"

// Results from before an operation had a choice, and an implementation a parameter.

namespace tilewright {
namespace {

constexpr const char* kBefore = R"toml(schema = 1
[operation]
name = "scale"
[[operation.dimension]]
name = "n"
default = 64
[[operation.argument]]
name = "data"
role = "inout"
count = "n"
[[implementation]]
name = "plain"
source = "scale.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32
[[implementation.launch]]
entry = "scale"
grid = [1]
block = ["BLOCK"]
arguments = ["data", "n"]
)toml";

constexpr const char* kChoice = R"toml([[operation.choice]]
name = "type"
values = ["float32", "float16"]
default = "float32"
absent = "float32"
[[operation.argument]])toml";

constexpr const char* kParameter = R"toml([[implementation.parameter]]
name = "STAGES"
values = [1, 2]
default = 2
absent = 1
[[implementation.launch]])toml";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class OmittedSettings : public ::testing::Test {
 protected:
  OmittedSettings() {
    folder_.write("kernels/scale/scale.cu", "// a kernel\n");
    write(kBefore);
    Store store(database_);
    SweepKey key;
    key.operation = "scale";
    key.problem = {"scale", {{"n", 4096}}};
    key.device = device_;
    key.implementations = {{"scale/plain", 1, "", "", {{{"BLOCK", 32}}}}};
    const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
    Trial trial;
    trial.implementation = "scale/plain";
    trial.configuration = old_;
    trial.outcome = Outcome::measured;
    trial.stage = Stage::final;
    trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1, 1, 0};
    trial.verification.emplace();
    store.add_trial(sweep.id, trial);
    store.finish_sweep(sweep.id, "{}");
  }

  void write(const std::string& manifest) const {
    folder_.write("kernels/scale/operation.toml", manifest);
  }
  Answer ask(const Settings& problem) const {
    CatalogOptions options;
    options.database = database_;
    options.kernels = {folder_.path() / "kernels"};
    return Catalog(options).look_up({"scale", problem, device_});
  }

  FolderOfFiles folder_;
  const std::filesystem::path database_ = folder_.path() / "results.db";
  const Device device_ = test::sample_device();
  const Configuration old_ = {{{"BLOCK", 64}}};
};

TEST_F(OmittedSettings, AnOldRowAnswersExactlyForTheAbsentLabel) {
  write(replaced(kBefore, "[[operation.argument]]", kChoice));
  for (const Settings& asked :
       {Settings{{"n", 4096}}, Settings{{"n", 4096}, {"type", "float32"}}}) {
    const Answer answer = ask(asked);
    EXPECT_EQ(answer.rung, Rung::exact) << answer.reason;
    EXPECT_EQ(answer.configuration, old_);
    EXPECT_EQ(answer.problem, (Problem{"scale", {{"n", 4096}}}));
  }
  const Answer other = ask({{"n", 4096}, {"type", "float16"}});
  EXPECT_EQ(other.rung, Rung::manifest_default);
  EXPECT_EQ(ask({{"n", 4097}, {"type", "float32"}}).rung, Rung::near_problem);
}

TEST_F(OmittedSettings, AnOldRowAnswersExactlyWithTheAbsentValueOfANewParameter) {
  write(replaced(kBefore, "[[implementation.launch]]", kParameter));
  const Answer answer = ask({{"n", 4096}});
  EXPECT_EQ(answer.rung, Rung::exact) << answer.reason;
  EXPECT_EQ(answer.configuration, old_);
}

TEST_F(OmittedSettings, WithoutAbsentAnOldRowAnswersNothing) {
  write(
      replaced(kBefore, "[[operation.argument]]", replaced(kChoice, "absent = \"float32\"\n", "")));
  EXPECT_EQ(ask({{"n", 4096}}).rung, Rung::manifest_default);
  write(replaced(kBefore, "[[implementation.launch]]", replaced(kParameter, "absent = 1\n", "")));
  EXPECT_EQ(ask({{"n", 4096}}).rung, Rung::manifest_default);
}

}  // namespace
}  // namespace tilewright
