#include "tuner/sweep/devices/device_thread.hpp"

#include <gtest/gtest.h>

#include <future>

#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

constexpr std::chrono::milliseconds kPatience(10'000);
constexpr std::chrono::milliseconds kNoWait(0);

DeviceThread::Item item(std::size_t candidate) {
  DeviceThread::Item result;
  result.candidate = candidate;
  return result;
}

class DeviceThreadTest : public ::testing::Test {
 protected:
  std::atomic<bool> stop = false;
  std::promise<void> gate;
};

TEST_F(DeviceThreadTest, OpensOnceAndRunsInOrder) {
  std::vector<int> done;
  DeviceThread thread([&] { done.push_back(-1); },
                      [&](DeviceThread::Item& one) {
                        done.push_back(static_cast<int>(one.candidate));
                        one.normal_us = 7;
                      },
                      stop);
  thread.submit(item(4));
  thread.submit(item(2));
  EXPECT_EQ(thread.in_flight(), 2u);
  EXPECT_EQ(thread.next(kPatience)->candidate, 4u);
  EXPECT_EQ(thread.next(kPatience)->normal_us, 7);
  EXPECT_EQ(thread.in_flight(), 0u);
  EXPECT_FALSE(thread.next(kNoWait));
  thread.close();
  EXPECT_EQ(done, (std::vector<int>{-1, 4, 2}));
}

TEST_F(DeviceThreadTest, HasRoomForFewBesideTheRunningOne) {
  DeviceThread thread([opened = gate.get_future().share()] { opened.wait(); },
                      [](DeviceThread::Item&) {}, stop);
  thread.submit(item(0));
  EXPECT_TRUE(thread.has_room());
  thread.submit(item(1));
  EXPECT_FALSE(thread.has_room());
  gate.set_value();
  EXPECT_TRUE(thread.next(kPatience));
  EXPECT_TRUE(thread.next(kPatience));
  EXPECT_TRUE(thread.has_room());
}

TEST_F(DeviceThreadTest, ClosingWaitsForTheRunningOne) {
  std::promise<void> begun;
  std::atomic<std::size_t> runs = 0;
  DeviceThread thread([] {},
                      [&, open = gate.get_future().share()](DeviceThread::Item&) {
                        if (runs++ == 0) begun.set_value();
                        open.wait();
                      },
                      stop);
  thread.submit(item(0));
  thread.submit(item(1));
  begun.get_future().wait();
  const auto opener = std::async(std::launch::async, [this] { gate.set_value(); });
  thread.close();
  EXPECT_EQ(thread.in_flight(), runs);  // what was not begun is gone
  EXPECT_EQ(thread.next(kNoWait)->candidate, 0u);
}

TEST_F(DeviceThreadTest, AfterItsDeadlineItRunsOneItem) {
  std::atomic<std::size_t> runs = 0;
  DeviceThread thread([] {}, [&](DeviceThread::Item&) { ++runs; }, stop,
                      std::chrono::steady_clock::now());
  thread.submit(item(0));
  thread.submit(item(1));
  EXPECT_TRUE(thread.next(kPatience));
  thread.submit(item(2));
  thread.close();
  EXPECT_FALSE(thread.next(kNoWait));
  EXPECT_EQ(runs, 1U);
}

TEST_F(DeviceThreadTest, AStopBeginsNothingMore) {
  DeviceThread thread([] {}, [this](DeviceThread::Item&) { stop = true; }, stop);
  thread.submit(item(0));
  thread.submit(item(1));
  EXPECT_TRUE(thread.next(kPatience));
  thread.close();
  EXPECT_FALSE(thread.next(kNoWait));
}

TEST_F(DeviceThreadTest, WhatItThrowsReachesTheCaller) {
  DeviceThread closed([] { throw MachineError("no device"); }, [](DeviceThread::Item&) {}, stop);
  EXPECT_THROW(closed.next(kPatience), MachineError);
  DeviceThread broken([] {}, [](DeviceThread::Item&) { throw MachineError("gone"); }, stop);
  broken.submit(item(0));
  EXPECT_THROW(broken.next(kPatience), MachineError);
}

}  // namespace
}  // namespace tilewright::test
