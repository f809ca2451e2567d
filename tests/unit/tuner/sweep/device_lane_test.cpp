#include "tuner/sweep/devices/device_lane.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

constexpr std::chrono::milliseconds kPatience(10'000);
constexpr std::chrono::milliseconds kNoWait(0);

DeviceLane::Item item(std::size_t candidate) {
  DeviceLane::Item result;
  result.candidate = candidate;
  return result;
}

class DeviceLaneTest : public ::testing::Test {
 protected:
  std::atomic<bool> stop = false;
  std::promise<void> gate;
};

TEST_F(DeviceLaneTest, OpensOnceAndRunsInOrder) {
  std::vector<int> done;
  DeviceLane lane([&] { done.push_back(-1); },
                  [&](DeviceLane::Item& one) {
                    done.push_back(static_cast<int>(one.candidate));
                    one.normal_us = 7;
                  },
                  stop);
  lane.submit(item(4));
  lane.submit(item(2));
  EXPECT_EQ(lane.in_flight(), 2u);
  EXPECT_EQ(lane.next(kPatience)->candidate, 4u);
  EXPECT_EQ(lane.next(kPatience)->normal_us, 7);
  EXPECT_EQ(lane.in_flight(), 0u);
  EXPECT_FALSE(lane.next(kNoWait));
  lane.close();
  EXPECT_EQ(done, (std::vector<int>{-1, 4, 2}));
}

TEST_F(DeviceLaneTest, HasRoomForFewBesideTheRunningOne) {
  DeviceLane lane([opened = gate.get_future().share()] { opened.wait(); }, [](DeviceLane::Item&) {},
                  stop);
  lane.submit(item(0));
  EXPECT_TRUE(lane.has_room());
  lane.submit(item(1));
  EXPECT_FALSE(lane.has_room());
  gate.set_value();
  EXPECT_TRUE(lane.next(kPatience));
  EXPECT_TRUE(lane.next(kPatience));
  EXPECT_TRUE(lane.has_room());
}

TEST_F(DeviceLaneTest, ClosingWaitsForTheRunningOne) {
  std::promise<void> begun;
  std::atomic<std::size_t> runs = 0;
  DeviceLane lane([] {},
                  [&, open = gate.get_future().share()](DeviceLane::Item&) {
                    if (runs++ == 0) begun.set_value();
                    open.wait();
                  },
                  stop);
  lane.submit(item(0));
  lane.submit(item(1));
  begun.get_future().wait();
  const auto opener = std::async(std::launch::async, [this] { gate.set_value(); });
  lane.close();
  EXPECT_EQ(lane.in_flight(), runs);  // what was not begun is gone
  EXPECT_EQ(lane.next(kNoWait)->candidate, 0u);
}

TEST_F(DeviceLaneTest, AfterItsDeadlineItRunsOneItem) {
  std::atomic<std::size_t> runs = 0;
  DeviceLane lane([] {}, [&](DeviceLane::Item&) { ++runs; }, stop,
                  std::chrono::steady_clock::now());
  lane.submit(item(0));
  lane.submit(item(1));
  EXPECT_TRUE(lane.next(kPatience));
  lane.submit(item(2));
  lane.close();
  EXPECT_FALSE(lane.next(kNoWait));
  EXPECT_EQ(runs, 1U);
}

TEST_F(DeviceLaneTest, AStopBeginsNothingMore) {
  DeviceLane lane([] {}, [this](DeviceLane::Item&) { stop = true; }, stop);
  lane.submit(item(0));
  lane.submit(item(1));
  EXPECT_TRUE(lane.next(kPatience));
  lane.close();
  EXPECT_FALSE(lane.next(kNoWait));
}

TEST_F(DeviceLaneTest, WhatItThrowsReachesTheCaller) {
  DeviceLane closed([] { throw MachineError("no device"); }, [](DeviceLane::Item&) {}, stop);
  EXPECT_THROW(closed.next(kPatience), MachineError);
  DeviceLane broken([] {}, [](DeviceLane::Item&) { throw MachineError("gone"); }, stop);
  broken.submit(item(0));
  EXPECT_THROW(broken.next(kPatience), MachineError);
}

}  // namespace
}  // namespace tilewright::test
