// Several devices of one machine under one process. The devices are slots of the host, and the
// worker has a fake clock. Whatever happens to workers and devices, the answers are those of one
// undisturbed device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/hostile/node.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

TEST(Node, SeveralDevicesGiveTheAnswersOfOne) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host:0,1,2")), 0) << node.messages();
  expect_same_answers(node);
  for (const char* device : {"[host:0] ", "[host:1] ", "[host:2] "})
    EXPECT_TRUE(says(node, device)) << node.messages();
}

std::int64_t count_of(const SweepRecord& sweep) {
  return std::get<std::int64_t>(sweep.key.problem.values.at("count"));
}

// The file names the smallest problem first.
TEST(Node, WhatTakesLongestIsBegunFirst) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host:0,1", kProblems, {"--json"})), 0) << node.messages();
  const auto sweeps = Store(node.database(), Store::Mode::read_only).sweeps({});
  const auto begun_last = std::ranges::max_element(sweeps, {}, &SweepRecord::id);
  ASSERT_EQ(sweeps.size(), kProblems);
  EXPECT_EQ(count_of(*begun_last), 1000) << node.messages();
  std::vector<std::int64_t> printed;
  const auto json = nlohmann::json::parse(node.output());
  for (const auto& answer : json.at("problems"))
    printed.push_back(answer.at("problem").at("count").get<std::int64_t>());
  EXPECT_EQ(printed, (std::vector<std::int64_t>{1000, 1001, 1002}));
}

TEST(Node, OneProblemIsDivided) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host:0,1", 1)), 0) << node.messages();
  expect_same_answers(node, 1);
  EXPECT_TRUE(says(node, "[host:0+1] ")) << node.messages();
}

TEST(Node, ADeadWorkerCostsNothing) {
  for (const std::size_t problems : {std::size_t{1}, kProblems}) {
    const Node node;
    const auto program = node.start(node.command("host:0,1", problems));
    for (std::size_t rows = 10; rows <= 90; rows += 40) {
      wait_for_rows(node, rows);
      for (const pid_t worker : program->workers("device")) kill(worker, SIGKILL);
    }
    ASSERT_EQ(program->wait(kFarTooLong), 0) << node.messages();
    expect_same_answers(node, problems);
  }
}

TEST(Node, WorkOfALostDeviceMovesToTheOthers) {
  for (const std::size_t problems : {std::size_t{1}, kProblems}) {
    const Node node;
    const auto program = node.start(node.command("host:0,1,2", problems, {"--fresh"}));
    wait_for_rows(node, 20);
    node.lose(1);
    ASSERT_EQ(program->wait(kFarTooLong), 0) << node.messages();
    expect_complete(node, problems);
    EXPECT_TRUE(says(node, "host:1 is lost: the GPU has fallen off the bus")) << node.messages();
  }
}

TEST(Node, WithoutAnyDeviceTrialsAreKeptAndTheSameCommandGoesOn) {
  const Node node;
  for (const int device : {0, 1}) node.lose(device);
  EXPECT_EQ(node.run(node.command("host:0,1")), 3) << node.messages();
  EXPECT_TRUE(says(node, "the GPU has fallen off the bus")) << node.messages();
  ASSERT_EQ(node.run(node.command("host:2,3")), 0) << node.messages();
  expect_same_answers(node);
}

TEST(Node, SigtermKeepsTheTrialsOfAllDevices) {
  const Node node;
  const auto program = node.start(node.command("host:0,1"));
  wait_for_rows(node, 30);
  program->kill(SIGTERM);
  EXPECT_EQ(program->wait(kFarTooLong), kInterrupted) << node.messages();
  EXPECT_GE(node.rows(), 30U);
  ASSERT_EQ(node.run(node.command("host:0,1")), 0) << node.messages();
  EXPECT_TRUE(says(node, "continuing an interrupted sweep: ")) << node.messages();
  expect_same_answers(node);
}

bool ended_early(const SweepRecord& sweep) {
  return sweep.finished > 0 && sweep.key.strategy.find("time_limit_s=") != std::string::npos;
}

TEST(Node, CtrlCFinishesTheRunningProblemsAndBeginsNoOther) {
  const Node node;
  const auto program = node.start(node.command("host:0,1"));
  wait_for_rows(node, 60);
  program->kill(SIGINT);
  EXPECT_EQ(program->wait(kFarTooLong), kInterrupted) << node.messages();
  const auto sweeps = Store(node.database(), Store::Mode::read_only).sweeps({});
  EXPECT_LE(sweeps.size(), 2U) << node.messages();
  EXPECT_TRUE(std::ranges::any_of(sweeps, ended_early)) << node.messages();
  ASSERT_EQ(node.run(node.command("host:0,1")), 0) << node.messages();
  EXPECT_TRUE(says(node, "going on from an earlier sweep: ")) << node.messages();
  const auto answers = node.answers();
  EXPECT_EQ(answers.size(), kProblems);
  for (const auto& [problem, answer] : answers)
    EXPECT_EQ(answer.winner, undisturbed().at(problem).winner) << problem;
}

TEST(Node, ADeviceOfSomebodyElseIsLeftToThem) {
  for (const bool waits : {true, false}) {
    const Node node;
    const HeldLock held(node.lock("host:1"));
    const std::vector<std::string> more =
        waits ? std::vector<std::string>{} : std::vector<std::string>{"--no-wait"};
    ASSERT_EQ(node.run(node.command("host:0,1", kProblems, more)), 0) << node.messages();
    expect_same_answers(node);
    EXPECT_TRUE(says(node, "host:1 is measured by ")) << node.messages();
    EXPECT_FALSE(says(node, "[host:1] ")) << node.messages();
  }
}

TEST(Node, ADividedProblemDoesWithoutADeviceOfSomebodyElse) {
  const Node node;
  const HeldLock held(node.lock("host:1"));
  ASSERT_EQ(node.run(node.command("host:0,1", 1)), 0) << node.messages();
  expect_same_answers(node, 1);
  EXPECT_TRUE(says(node, "it is left out")) << node.messages();
}

TEST(Node, IfAllAreOthersNoWaitIsAnError) {
  const Node node;
  const HeldLock first(node.lock("host:0"));
  const HeldLock second(node.lock("host:1"));
  EXPECT_EQ(node.run(node.command("host:0,1", kProblems, {"--no-wait"})), 3);
  EXPECT_TRUE(says(node, "is measured by ")) << node.messages();
}

TEST(Node, MeasuresWhatApplicationsWantedUntilTheTimeLimit) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host", 1)), 0) << node.messages();
  const auto sweep_wanted = [&](std::int64_t first, std::int64_t last, const char* limit) {
    {
      Store store(node.database());
      const SweepKey key = store.sweeps({}).front().key;
      std::vector<Wanted> wanted;
      for (std::int64_t count = first; count <= last; ++count) {
        wanted.push_back({{key.problem, key.device, key.policy}, 3, 7});
        wanted.back().subject.problem.values["count"] = count;
      }
      store.add_wanted(wanted);
    }
    std::vector<std::string> words = node.command("host:0,1", kProblems, {"--time-limit", limit});
    const auto shapes = std::ranges::find(words, "--shapes");
    *shapes = "--wanted";
    words.erase(shapes + 1);
    return node.run(words);
  };
  EXPECT_EQ(sweep_wanted(1001, 1002, "5m"), 0) << node.messages();
  EXPECT_FALSE(says(node, "for another time")) << node.messages();
  expect_same_answers(node);
  EXPECT_EQ(sweep_wanted(2001, 2100, "1s"), 0) << node.messages();  // nobody sweeps so many in that
  EXPECT_TRUE(says(node, "for another time")) << node.messages();
}

TEST(Node, RefusesWhatItCannotRead) {
  const Node node;
  const auto refusal = [&](const std::string& devices, const std::vector<std::string>& more = {}) {
    EXPECT_EQ(node.run(node.command(devices, kProblems, more)), 2) << devices;
    return node.messages();
  };
  EXPECT_NE(refusal("host:0,0").find("host:0 is named twice"), std::string::npos);
  EXPECT_NE(refusal("host:x").find("give host or cuda:N"), std::string::npos);
  EXPECT_NE(refusal("host:0,").find("device ''"), std::string::npos);
  EXPECT_NE(refusal("host", {"--busy", "never"}).find("known: again, mark, refuse"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(node.database()));
}

}  // namespace
}  // namespace tilewright::test
