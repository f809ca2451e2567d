#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
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
  const Finished json =
      run_tilewright(home.path(), {"sweep", "gemm/naive", "M=N=K=64", "--device", "host", "--where",
                                   "BLOCK_X > 1000", "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_TRUE(nlohmann::json::parse(json.out).at("winners").empty()) << json.out;
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

// A fault that passes leaves nothing behind, neither a trial nor compiled code.
TEST(BadInputCompiler, AFullDiskEndsTheSweepAndIsNoOutcome) {
  const TemporaryFolder home;
  give_own_cache(home);
  const TemporaryFolder kernel;
  const TemporaryFolder programs;
  const std::string manifest = write_copy_kernel(kernel.path());
  const std::filesystem::path compiler = programs / "c++";
  write_text(compiler,
             "#!/bin/sh\n[ \"$1\" = --version ] && exec /usr/bin/c++ --version\n"
             "echo 'k.cu:1:1: fatal error: error writing to /tmp/c.s: No space left on device'\n"
             "exit 1\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const std::vector<std::string> words = {"sweep", manifest, "--device", "host"};
  const Finished full =
      run_tilewright(home.path(), words, {"PATH=" + programs.path().string() + ":/usr/bin:/bin"});
  EXPECT_EQ(full.status, 3) << full.err;
  EXPECT_NE(full.err.find("No space left on device"), std::string::npos) << full.err;

  ASSERT_EQ(run_tilewright(home.path(), words).status, 0);
  const auto json =
      nlohmann::json::parse(run_tilewright(home.path(), {"results", "--json"}).out).at("sweeps");
  for (const auto& sweep : json)
    EXPECT_EQ(run_tilewright(home.path(),
                             {"results", "--sweep", sweep.at("sweep").get<std::string>(), "--json"})
                  .out.find("compile_failed"),
              std::string::npos);
}

TEST(BadInputTemporary, WithoutAPlaceForThemTheAdviceIsTmpdir) {
  const TemporaryFolder home;
  for (const std::string place : {"/proc", "/nonexistent"}) {
    const Finished finished = run_tilewright(
        home.path(), {"show", "gemm/naive", "M=N=K=8", "--device", "host"}, {"TMPDIR=" + place});
    EXPECT_EQ(finished.status, 3) << finished.err;
    EXPECT_NE(finished.err.find("TMPDIR"), std::string::npos) << finished.err;
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
  }
}

TEST(BadInputKilled, FoldersOfKilledProcessesAreRemovedAtTheNextStart) {
  const TemporaryFolder home;
  const TemporaryFolder temporary;
  const std::filesystem::path dead = temporary / "tilewright-scratch-dead01";
  std::filesystem::create_directory(dead);
  write_text(dead / "kernel.cpp", "text");
  const Finished finished =
      run_tilewright(home.path(), {"show", "gemm/naive", "M=N=K=8", "--device", "host"},
                     {"TMPDIR=" + temporary.path().string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

// One compiler at a time and many configurations: far from done when the first is measured.
class BadInputInterrupt : public ::testing::Test {
 protected:
  void SetUp() override {
    const bool has_gpu = why_no_gpu().empty();
    if (const std::string why = why_no_compiler(); has_gpu && !why.empty()) GTEST_SKIP() << why;
    give_own_cache(home_);
  }
  // Until it has measured one.
  Finished sweep_and_send(int signal) {
    std::vector<std::string> slowly = words_;
    slowly.insert(slowly.end(), {"--jobs", "1"});
    const auto is_measured = [](const Trial& trial) { return trial.outcome == Outcome::measured; };
    const auto has_one = [&] {
      const auto seen = trials();
      return std::any_of(seen.begin(), seen.end(), is_measured);
    };
    return run_tilewright(home_.path(), slowly, {}, has_one, signal);
  }
  nlohmann::json sweeps() const {
    return nlohmann::json::parse(run_tilewright(home_.path(), {"results", "--json"}).out)
        .at("sweeps");
  }
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
  const std::vector<std::string> words_ = {"sweep", "gemm/naive", "M=N=K=64", "--budget", "10"};
};

TEST_F(BadInputInterrupt, SigtermKeepsTheRunningTrialAndTheNextRunGoesOn) {
  const Finished interrupted = sweep_and_send(SIGTERM);
  ASSERT_EQ(interrupted.status, 130) << interrupted.err;
  EXPECT_NE(interrupted.err.find("interrupted; "), std::string::npos) << interrupted.err;
  EXPECT_NE(interrupted.out.find("run the same command again to finish it"), std::string::npos)
      << interrupted.out;
  const std::size_t kept = trials().size();

  const Finished resumed = run_tilewright(home_.path(), words_);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find(fmt::format("continuing an interrupted sweep: {} trial", kept)),
            std::string::npos)
      << resumed.err;
  const auto json = sweeps();
  ASSERT_EQ(json.size(), 1U);
  EXPECT_GT(json.at(0).at("finished"), 0);
}

// As in a job that a shell started in the background, and under nohup.
TEST_F(BadInputInterrupt, ASignalThatIsIgnoredFromTheStartStaysIgnored) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  const Finished ended = sweep_and_send(SIGINT);
  std::signal(SIGINT, before);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err.find("ending the search"), std::string::npos) << ended.err;
  EXPECT_GE(trials().size(), 10U);
}

TEST_F(BadInputInterrupt, CtrlCFinishesTheSweepAndTheSameCommandGoesOn) {
  const Finished ended = sweep_and_send(SIGINT);
  ASSERT_EQ(ended.status, 130) << ended.err;
  EXPECT_NE(ended.err.find("ending the search; the final takes at most 10 s"), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("stopped early; the same command goes on"), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.out.find("; stopped by Ctrl-C"), std::string::npos) << ended.out;
  const auto measured = trials();
  EXPECT_TRUE(std::ranges::any_of(measured,
                                  [](const Trial& trial) { return trial.stage == Stage::final; }));
  EXPECT_LT(measured.size(), 10U);
  const Finished best =
      run_tilewright(home_.path(), {"best", "gemm/naive", "M=N=K=64", "--require", "exact"});
  EXPECT_EQ(best.status, 0) << best.err;

  const Finished next = run_tilewright(home_.path(), words_);
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_NE(next.err.find("going on from an earlier sweep: "), std::string::npos) << next.err;
  EXPECT_EQ(next.out.find("stopped by Ctrl-C"), std::string::npos) << next.out;
  const auto json = sweeps();
  ASSERT_EQ(json.size(), 2U);
  for (const auto& sweep : json) EXPECT_GT(sweep.at("finished"), 0);
  const Finished again = run_tilewright(home_.path(), words_);
  EXPECT_NE(again.err.find("already finished"), std::string::npos) << again.err;
}

}  // namespace
}  // namespace tilewright::test
