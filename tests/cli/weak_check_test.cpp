// Whether the comparison of a sweep finds wrong answers at all.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kManifest = R"toml(schema = 1
[operation]
name = "softmax"
checks = [{ rows = 3 }]
[[operation.dimension]]
name = "rows"
default = 4
[[operation.dimension]]
name = "columns"
default = 1000
[[operation.argument]]
name = "x"
count = "rows * columns"
[[operation.argument]]
name = "y"
role = "output"
count = "rows * columns"
[operation.compare]
reduction = "columns"
scale = SCALE
[operation.reference]
source = "softmax.cu"
[[operation.reference.launch]]
entry = "softmax"
grid = ["rows"]
block = [1]
arguments = ["x", "y", "columns"]
[[implementation]]
name = "zeros"
source = "softmax.cu"
[[implementation.parameter]]
name = "ZEROS"
values = [0, 1]
default = 0
[[implementation.launch]]
entry = "softmax"
grid = ["rows"]
block = [1]
arguments = ["x", "y", "columns"]
)toml";

constexpr const char* kSource = R"cuda(
#ifndef ZEROS
#define ZEROS 0
#endif
__global__ void softmax(const float* x, float* y, int columns) {
  x += static_cast<long long>(blockIdx.x) * columns;
  y += static_cast<long long>(blockIdx.x) * columns;
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += exp(static_cast<double>(x[i]));
  for (int i = 0; i < columns; ++i) y[i] = ZEROS ? 0 : exp(static_cast<double>(x[i])) / sum;
}
)cuda";

class WeakCheck : public ::testing::Test {
 protected:
  void SetUp() override { write_text(home_ / "softmax.cu", kSource); }
  // As a user who loosens or tightens the tolerance.
  Finished sweep(const std::string& scale) const {
    std::string manifest = kManifest;
    write_text(home_ / "softmax.toml", manifest.replace(manifest.find("SCALE"), 5, scale));
    return run({"sweep", home_ / "softmax.toml", "--device", "host", "--json"});
  }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }

  TemporaryFolder home_;
};

TEST_F(WeakCheck, IsNoneWhereTheToleranceFollowsTheOutputs) {
  const Finished swept = sweep("1");
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_EQ(swept.err.find("warning"), std::string::npos) << swept.err;
  const auto report = nlohmann::json::parse(swept.out).at("report");
  EXPECT_EQ(report.at("outcomes").dump(), R"({"measured":1,"wrong_answer":1})");
  const auto zeros = report.at("simple_answers").at(0);
  EXPECT_EQ(zeros.dump(), R"({"altered":4000,"answer":"zeros","output":"y","passes":false,)"
                          R"("problem":0,"told":4000})");
  const Finished explained =
      run({"explain", home_ / "softmax.toml", "ZEROS=1", "--device", "host"});
  EXPECT_NE(
      explained.out.find(
          "wrong answers found in the argument `y`: zeros 100 %, input x 100 %, missing term"),
      std::string::npos)
      << explained.out;
}

TEST_F(WeakCheck, ThatZerosPassIsRefused) {
  const Finished swept = sweep("1e5");
  EXPECT_EQ(swept.status, 2) << swept.out;
  for (const char* part :
       {"operation 'softmax'", "zeros in place of 'y'", "(wrong in 4000 elements, told apart in 0)",
        "'absolute', 'scale' or "
        "'reduction' of [operation.compare]",
        "or other inputs"})
    EXPECT_NE(swept.err.find(part), std::string::npos) << swept.err;
}

TEST_F(WeakCheck, ThatAnErrorOfOnePercentPassesIsAWarning) {
  const Finished swept = sweep("200");
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_NE(swept.err.find("warning: an error of 1 % in all elements of y would pass the check"),
            std::string::npos)
      << swept.err;
}

}  // namespace
}  // namespace tilewright::test
