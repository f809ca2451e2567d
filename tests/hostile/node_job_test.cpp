// Several devices of one machine that take part in a job under one process.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/hostile/node.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A node that takes part in a job with several devices.
class NodeInAJob : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(node_.run(node_.plan()), 0) << node_.messages(); }
  std::size_t units(const std::string& part) const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(node_.job() / part), fs::directory_iterator()));
  }
  void wait_until(const std::function<bool()>& is_so) const {
    const auto deadline = std::chrono::steady_clock::now() + kFarTooLong;
    while (!is_so()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << node_.messages();
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  // Also that nobody is left who takes part.
  void expect_done() const {
    EXPECT_EQ(units("done"), kProblems) << node_.messages();
    EXPECT_EQ(units("results"), kProblems);
    EXPECT_EQ(units("alive"), 0U);
    ASSERT_EQ(node_.run(node_.merge()), 0) << node_.messages();
  }

  const Node node_;
};

TEST_F(NodeInAJob, EachDeviceTakesTheNextUnitWhenItIsFree) {
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
  for (const char* line : {"[host:0] [", "[host:1] [", "of 3 finished] clock"})
    EXPECT_TRUE(says(node_, line)) << node_.messages();
}

TEST_F(NodeInAJob, AUnitOfALostDeviceMovesToTheOthers) {
  const auto program = node_.start(node_.job_command("host:0,1,2"));
  wait_until([&] { return says(node_, "[host:1] ["); });
  node_.lose(1);
  ASSERT_EQ(program->wait(kFarTooLong), 0) << node_.messages();
  expect_done();
  expect_complete(node_, kProblems);
}

TEST_F(NodeInAJob, WithoutAnyDeviceTheUnitsAreGivenBack) {
  for (const int device : {0, 1}) node_.lose(device);
  EXPECT_EQ(node_.run(node_.job_command("host:0,1")), 3) << node_.messages();
  EXPECT_TRUE(says(node_, "the GPU has fallen off the bus")) << node_.messages();
  EXPECT_EQ(units("todo"), kProblems);
  ASSERT_EQ(node_.run(node_.job_command("host:2,3")), 0) << node_.messages();
  expect_done();
  expect_complete(node_, kProblems);
}

TEST_F(NodeInAJob, TrialsOfLostDevicesGoOnElsewhereAndSurviveAnotherLoss) {
  {
    const auto program = node_.start(node_.job_command("host:0,1"));
    wait_until([&] { return units("taken") == 2 && says(node_, "[host:1] ["); });
    for (const int device : {0, 1}) node_.lose(device);
    EXPECT_EQ(program->wait(kFarTooLong), 3) << node_.messages();
  }
  EXPECT_GE(units("kept"), 1U);
  fs::remove_all(node_.local());
  const auto program = node_.start(node_.job_command("host:2,3"));
  wait_until([&] { return says(node_, "[host:2] ["); });
  node_.lose(2);
  ASSERT_EQ(program->wait(kFarTooLong), 0) << node_.messages();
  expect_done();
  expect_complete(node_, kProblems);
}

TEST_F(NodeInAJob, AnInterruptGivesTheUnitsOfAllDevicesBackWithTheirTrials) {
  const auto program = node_.start(node_.job_command("host:0,1"));
  wait_until([&] { return units("taken") == 2; });
  program->kill(SIGTERM);
  EXPECT_EQ(program->wait(kFarTooLong), kInterrupted) << node_.messages();
  EXPECT_EQ(units("taken"), 0U);
  EXPECT_EQ(units("alive"), 0U);
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
}

// Within the lease of two minutes nobody else takes them.
TEST_F(NodeInAJob, AfterAKillTheSameCommandGoesOnWithTheUnitsOfAllDevices) {
  {
    const auto program = node_.start(node_.job_command("host:0,1"));
    wait_until([&] { return units("taken") == 2; });
  }
  EXPECT_EQ(units("taken"), 2U);
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
}

TEST_F(NodeInAJob, ADeviceOfSomebodyElseIsLeftToThem) {
  const HeldLock held(node_.lock("host:1"));
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
  EXPECT_TRUE(says(node_, "host:1 is measured by ")) << node_.messages();
}

TEST_F(NodeInAJob, IsOfOneKindOfDevice) {
  EXPECT_EQ(node_.run(node_.job_command("host:0,1", {"--each-kind"})), 2);
  EXPECT_TRUE(says(node_, "unknown option '--each-kind'")) << node_.messages();
}

}  // namespace
}  // namespace tilewright::test
