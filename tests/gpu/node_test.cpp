// Several GPUs under one process. Skipped with fewer than two of one kind.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

class TwoGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished listed = run_tilewright(home_.path(), {"devices", "--json"});
    const nlohmann::json devices = nlohmann::json::parse(listed.out).at("devices");
    std::vector<std::string> names;
    for (const nlohmann::json& device : devices)
      if (device.at("id").get<std::string>().starts_with("cuda:"))
        names.push_back(device.at("device").at("name"));
    if (names.size() < 2) GTEST_SKIP() << "fewer than two GPUs";
    if (names[0] != names[1]) GTEST_SKIP() << "cuda:0 and cuda:1 are of different kinds";
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  }
  Finished sweep(std::vector<std::string> words, const std::string& devices) const {
    words.insert(words.begin(), {"sweep", "gemm/tiled"});
    words.insert(words.end(), {"--device", devices, "--budget", "40", "--strategy", "random",
                               "--priors", "none", "--fresh", "--json"});
    return run_tilewright(home_.path(), words);
  }
  // The trials of both devices are those of one, whatever their times.
  static std::int64_t seen(const nlohmann::json& answer) { return answer.at("report").at("seen"); }

  TemporaryFolder home_;
};

TEST_F(TwoGpus, DivideTheProblems) {
  write_text(home_ / "shapes.txt", "M=1024\nM=768\nM=512\nM=256\n");
  const std::vector<std::string> words = {"N=K=512", "--shapes", home_ / "shapes.txt"};
  const Finished both = sweep(words, "cuda:0,1");
  ASSERT_EQ(both.status, 0) << both.err;
  const Finished one = sweep(words, "cuda:0");
  ASSERT_EQ(one.status, 0) << one.err;
  const nlohmann::json list = nlohmann::json::parse(both.out).at("problems");
  const nlohmann::json alone = nlohmann::json::parse(one.out).at("problems");
  ASSERT_EQ(list.size(), 4U);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].at("problem"), alone[i].at("problem"));
    EXPECT_EQ(seen(list[i]), seen(alone[i]));
    EXPECT_FALSE(list[i].at("winners").empty());
  }
  for (const char* device : {"[cuda:0] ", "[cuda:1] "})
    EXPECT_NE(both.err.find(device), std::string::npos) << both.err;
}

TEST_F(TwoGpus, DivideOneProblem) {
  const Finished both = sweep({"M=N=K=1024"}, "cuda:0,1");
  ASSERT_EQ(both.status, 0) << both.err;
  EXPECT_NE(both.err.find("[cuda:0+1] "), std::string::npos) << both.err;
  const Finished one = sweep({"M=N=K=1024"}, "cuda:0");
  ASSERT_EQ(one.status, 0) << one.err;
  const nlohmann::json divided = nlohmann::json::parse(both.out);
  EXPECT_EQ(seen(divided), seen(nlohmann::json::parse(one.out)));
  EXPECT_FALSE(divided.at("winners").empty());
}

}  // namespace
}  // namespace tilewright::test
