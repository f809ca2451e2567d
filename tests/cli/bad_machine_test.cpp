#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/store/store.hpp"
#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

TEST(BadInputDevice, OneThatIsNotThereIsNamedWithWhatThereIs) {
  const TemporaryFolder home;
  const Finished finished =
      run_tilewright(home.path(), {"sweep", "gemm", "M=64", "--device", "cuda:99"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  const std::string says = why_no_gpu().empty() ? "present: cuda:0" : "--device host";
  EXPECT_NE(finished.err.find(says), std::string::npos) << finished.err;
  EXPECT_TRUE(is_untouched(home.path()));
}

TEST(BadInputSpace, NothingLegalIsStatusOneWithTheCuts) {
  const TemporaryFolder home;
  const Finished finished = run_tilewright(
      home.path(),
      {"sweep", "gemm/naive", "M=N=K=64", "--device", "host", "--where", "BLOCK_X > 1000"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("--where"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("0 legal"), std::string::npos) << finished.out;
  EXPECT_NE(finished.err.find("no configuration is legal"), std::string::npos) << finished.err;
  EXPECT_TRUE(is_untouched(home.path()));
}

TEST(BadInputSpace, WhatADeviceRulesOutIsStatusOneWithTheNumbers) {
  const TemporaryFolder home;
  const TemporaryFolder kernel;
  const std::string manifest =
      write_copy_kernel(kernel.path(), {{"block = [\"BLOCK\"]", "block = [\"BLOCK * 100\"]"}});
  const Finished finished = run_tilewright(home.path(), {"sweep", manifest, "--device", "host"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("block of 3200 threads; the device allows 1024"), std::string::npos)
      << finished.out;
}

class BadInputInterrupt : public ::testing::Test {
 protected:
  // Of the only sweep; nothing where it has not begun or cannot be read just now.
  std::vector<Trial> trials() const {
    try {
      const Store store(database_in(home_.path()), Store::Mode::read_only);
      const auto sweeps = store.sweeps({});
      return sweeps.empty() ? std::vector<Trial>() : store.trials(sweeps.front().id);
    } catch (const MachineError&) {
      return {};
    }
  }

  TemporaryFolder home_;
};

// One compiler at a time and many configurations: far from done when the first is measured.
TEST_F(BadInputInterrupt, KeepsTheRunningTrialAndTheNextRunGoesOn) {
  const bool has_gpu = why_no_gpu().empty();
  if (const std::string why = why_no_compiler(); has_gpu && !why.empty()) GTEST_SKIP() << why;
  const std::vector<std::string> words = {"sweep", "gemm/tiled", "M=N=K=64", "--budget", "16"};
  std::vector<std::string> slowly = words;
  slowly.insert(slowly.end(), {"--jobs", "1"});
  const auto is_measured = [](const Trial& trial) { return trial.outcome == Outcome::measured; };
  std::vector<Trial> seen;
  const Finished interrupted = run_tilewright(home_.path(), slowly, {}, [&] {
    seen = trials();
    return std::any_of(seen.begin(), seen.end(), is_measured);
  });
  ASSERT_EQ(interrupted.status, 130) << interrupted.err;
  EXPECT_NE(interrupted.err.find("interrupted; "), std::string::npos) << interrupted.err;
  const std::size_t kept = trials().size();
  EXPECT_GE(kept, seen.size());

  const Finished resumed = run_tilewright(home_.path(), words);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find(fmt::format("continuing an interrupted sweep: {} trial", kept)),
            std::string::npos)
      << resumed.err;
  const auto json =
      nlohmann::json::parse(run_tilewright(home_.path(), {"results", "--json"}).out).at("sweeps");
  ASSERT_EQ(json.size(), 1U);
  EXPECT_GT(json.at(0).at("finished"), 0);
}

}  // namespace
}  // namespace tilewright::test
