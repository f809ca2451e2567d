// Kernels of y = 2x that get `map`, a tensor map of x, before y.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tests/host/host_support.hpp"

namespace tilewright::test {

// x is kRows rows of kColumns, and a box has kBoxRows of them.
inline constexpr std::int64_t kColumns = 40, kRows = 25, kBoxRows = 4;
static_assert(kColumns * kRows == kCount);

// A kernel that takes (map, y, count). `t` is the thread; kBox elements are a box.
inline std::string kernel(const std::string& body) {
  return R"(
#include "bulk_copy.cuh"
#include "cluster_copy.cuh"
#include "named_barrier.cuh"
#include "tensor_copy.cuh"
extern "C" __global__ void run(const __grid_constant__ TensorMap map, float* y, int count) {
  constexpr int kBox = 160, kBytes = 4 * kBox, kBoxes = 7, kStages = 2;
  const int t = threadIdx.x;
)" + body +
         "\n}\n";
}

class BulkTest : public testing::Test {
 protected:
  void SetUp() override { session_->open(doubling()); }

  // The kernel's launch of one block; what it takes is (map, y, count).
  static KernelPlan plan_of(const std::string& source, std::int64_t cluster = 1) {
    KernelPlan plan = doubling_kernel(source);
    PlannedLaunch& launch = plan.launches.front().launches.front();
    launch.grid = launch.cluster = {cluster, 1, 1};
    PlannedArgument& x = launch.arguments.front();
    x.kind = PlannedArgument::Kind::tensor_map;
    x.map = {ElementType::float32, {kColumns, kRows}, {kColumns}, {kColumns, kBoxRows}, 0, 0};
    return plan;
  }

  std::string judged(const KernelPlan& plan) {
    const Attempt<Resources> loaded = session_->load(plan);
    return loaded.ok() ? to_text(session_->verify()) : to_text(loaded);
  }

  void expect(const KernelPlan& plan, const std::string& answer) {
    const std::string all = judged(plan);
    EXPECT_NE(all.find(answer), std::string::npos) << all;
  }

  std::unique_ptr<Evaluator> session_ = worker_session();
};

}  // namespace tilewright::test
