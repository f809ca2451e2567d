// Several operations in one file: together, one by one, and by their names.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

// The sources are shared. `twice` has one parameter more.
constexpr const char* kTwoOperations = R"toml(schema = 1

[[operation]]
name = "copy"
[[operation.dimension]]
name = "n"
default = 1000
[[operation.argument]]
name = "in"
count = "n"
[[operation.argument]]
name = "out"
role = "output"
count = "n"
[operation.reference]
source = "both.cu"
[[operation.reference.launch]]
entry = "scale_slowly"
grid = ["n"]
block = [1]
arguments = ["in", "out", { value = 1 }]

[[operation]]
name = "scale"
[[operation.dimension]]
name = "n"
default = 1000
[[operation.dimension]]
name = "factor"
default = 2
[[operation.argument]]
name = "in"
count = "n"
[[operation.argument]]
name = "out"
role = "output"
count = "n"
[operation.reference]
source = "both.cu"
[[operation.reference.launch]]
entry = "scale_slowly"
grid = ["n"]
block = [1]
arguments = ["in", "out", "factor"]

[[implementation]]
operation = "copy"
name = "plain"
source = "both.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32
[[implementation.launch]]
entry = "scale"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["in", "out", { value = 1 }, "n"]

[[implementation]]
operation = "scale"
name = "plain"
source = "both.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64, 128]
default = 64
[[implementation.launch]]
entry = "scale"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["in", "out", "factor", "n"]
)toml";

constexpr const char* kSharedSource = R"cuda(
#ifndef BLOCK
__global__ void scale_slowly(const float* in, float* out, int factor) {
  out[blockIdx.x] = factor * in[blockIdx.x];
}
#else
__global__ void scale(const float* in, float* out, int factor, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}
#endif
)cuda";

class Operations : public ::testing::Test {
 protected:
  void SetUp() override {
    write_text(home_ / "both.toml", kTwoOperations);
    write_text(home_ / "both.cu", kSharedSource);
    file_ = home_ / "both.toml";
  }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }

  TemporaryFolder home_;
  std::string file_;
};

TEST_F(Operations, OfAFileAreTunedOneAfterTheOther) {
  const Finished swept = run({"sweep", file_, "n=500", "factor=3", "--device", "host", "--json"});
  ASSERT_EQ(swept.status, 0) << swept.err;
  const auto problems = nlohmann::json::parse(swept.out).at("problems");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].at("operation"), "copy");
  EXPECT_EQ(problems[0].at("problem").dump(), R"({"n":500})");
  EXPECT_EQ(problems[1].at("problem").dump(), R"({"factor":3,"n":500})");
  EXPECT_EQ(problems[1].at("report").at("seen"), 3);
  const Finished again = run({"sweep", file_, "n=500", "factor=3", "--device", "host"});
  EXPECT_NE(again.out.find("copy n=500 | "), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("input in is the right answer for out, so the check cannot tell it"),
            std::string::npos)
      << again.out;
  EXPECT_NE(again.out.find("scale n=500 factor=3 | "), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("best " + file_ + "/scale n=500 factor=3"), std::string::npos)
      << again.out;
  for (const std::string& name : {file_ + "/scale", file_ + "/scale/plain"}) {
    const Finished best = run({"best", name, "n=500", "factor=3", "--device", "host"});
    EXPECT_EQ(best.status, 0) << best.err;
    EXPECT_NE(best.out.find("exact"), std::string::npos) << best.out;
  }
  EXPECT_EQ(run({"best", "scale", "n=500", "factor=3", "--device", "host"}).status, 0);
  EXPECT_EQ(run({"results", file_ + "/scale"}).status, 0);
}

TEST_F(Operations, OfAFileAreTunedByThemselves) {
  const Finished one = run({"sweep", file_ + "/copy", "--device", "host", "--json"});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(nlohmann::json::parse(one.out).at("operation"), "copy");
  const auto sweeps = nlohmann::json::parse(run({"results", "--json"}).out).at("sweeps");
  EXPECT_EQ(sweeps.size(), 1U);
}

// The name of an implementation is enough where a file has one operation.
TEST_F(Operations, AnImplementationOfAFileIsNamedShortly) {
  for (const char* name : {"rms_norm.toml", "rms_norm.cu", "rms_norm_reference.cu"})
    write_text(home_ / name,
               content_of(std::string(TILEWRIGHT_SOURCE_DIR "/examples/rms_norm/") + name));
  const std::string own = home_ / "rms_norm.toml";
  const Finished named = run({"plan", own + "/row_per_block", "--arch", "sm_90"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_NE(named.out.find("rms_norm/row_per_block: "), std::string::npos) << named.out;
  const Finished wrong = run({"plan", own + "/row_per_blok", "--arch", "sm_90"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find(own + " has no 'row_per_blok'; it has " + own + "/rms_norm, " + own +
                           "/row_per_block"),
            std::string::npos)
      << wrong.err;
  EXPECT_NE(run({"plan", file_ + "/plain"}).err.find("it has " + file_ + "/copy, "),
            std::string::npos);
}

TEST_F(Operations, OfAFileAreListed) {
  const Finished listed = run({"kernels", file_});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_NE(listed.out.find("copy/plain"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("scale/plain"), std::string::npos) << listed.out;
  EXPECT_EQ(nlohmann::json::parse(run({"kernels", file_, "--json"}).out).at("operations").size(),
            2U);
}

TEST_F(Operations, OfAFileMustBeNamedAndTheirProblemsToo) {
  const auto error = [&](std::vector<std::string> words) {
    const Finished finished = run(words);
    EXPECT_EQ(finished.status, 2) << finished.out;
    return finished.err;
  };
  EXPECT_NE(error({"best", file_}).find("name one: " + file_ + "/copy"), std::string::npos);
  EXPECT_NE(error({"best", file_ + "/skale"}).find("has no 'skale'"), std::string::npos);
  EXPECT_NE(error({"best", file_ + "/"}).find("FILE.toml/OPERATION"), std::string::npos);
  EXPECT_NE(error({"sweep", file_, "facto=3", "--device", "host"}).find("'facto'"),
            std::string::npos);
  EXPECT_NE(error({"sweep", file_, "factor=0", "--device", "host"}).find("factor"),
            std::string::npos);
  EXPECT_EQ(run({"results"}).status, 1);  // nothing was begun
}

}  // namespace
}  // namespace tilewright::test
