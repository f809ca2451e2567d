// Kernels of clusters: right ones pass, and each mistake is found out and named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/host/bulk_support.hpp"

namespace tilewright::test {
namespace {

class ClusterFaults : public BulkTest {};

// Each of two blocks computes half of each box, which only one of them, or both, ask for.
std::string clustered(const std::string& begin, const std::string& copy, const std::string& end) {
  return kernel(fmt::format(R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ BulkBarrier barrier, used;
  const int rank = rank_in_cluster();
  if (t == 0) {{
    init_barrier(&barrier);
    init_barrier(&used, 2);
    publish_barriers();
  }}
  {}
  for (int i = 0; i < kBoxes; ++i) {{
    if (t == 0) {{
      if (rank == 0 && i > 0) wait_for_phase(&used, i - 1 & 1);
      expect_bytes(&barrier, kBytes);
      if (rank == 0) {}
    }}
    wait_for_bytes(&barrier, i & 1);
    const int e = 80 * rank + t;
    if (t < 80 && kBox * i + e < count) y[kBox * i + e] = 2.0f * box[e];
    __syncthreads();
    if (t == 0) arrive_in_block(&used, 0);
  }}
  {})",
                            begin, copy, end));
}
const std::string kToBoth = "start_box_in_blocks(box, map, 0, 4 * i, &barrier, 3);";
const std::string kTogether = "synchronise_cluster();";

TEST_F(ClusterFaults, CopiesToSeveralBlocksOfACluster) {
  expect(plan_of(clustered(kTogether, kToBoth, kTogether), 2), "ok");
  expect(plan_of(clustered(kTogether, "start_box(box, map, 0, 4 * i, &barrier);", kTogether), 2),
         "thread (0, 0, 0) of block 1 of the cluster waits for the end of a phase of parity 0");
  expect(plan_of(clustered(kTogether, "start_box_in_blocks(box, map, 0, 4 * i, &barrier, 5);",
                           kTogether),
                 2),
         "faulted: thread (0, 0, 0): block 2 of a cluster of 2");
  const std::string without = judged(plan_of(clustered("__syncthreads();", kToBoth, kTogether), 2));
  EXPECT_NE(without.find("was not initialised"), std::string::npos) << without;
}

TEST_F(ClusterFaults, SharedMemoryOfABlockThatHasEnded) {
  const auto source = [](const std::string& end) {
    return kernel(R"(
  __shared__ Run<4> shared[32];
  const int rank = rank_in_cluster();
  if (t < 32) for (int v = 0; v < 4; ++v) shared[t].value[v] = 0.0f;
  synchronise_cluster();
  if (rank == 1 && t < 32 && read_of_block(shared + t, 0).value[0] != 0.0f) y[0] = 1.0f;
  )" + end + R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ BulkBarrier barrier;
  if (t == 0) init_barrier(&barrier);
  __syncthreads();
  for (int i = 0; i < kBoxes; ++i) {
    if (t == 0) {
      expect_bytes(&barrier, kBytes);
      start_box(box, map, 0, 4 * i, &barrier);
    }
    wait_for_bytes(&barrier, i & 1);
    for (int e = t; e < kBox && kBox * i + e < count; e += 128) y[kBox * i + e] = 2.0f * box[e];
    __syncthreads();
  })");
  };
  expect(plan_of(source("synchronise_cluster();"), 2), "ok");
  expect(plan_of(source("if (rank == 0) return;\n  __syncthreads();\n"
                        "if (t == 0) read_of_block(shared, 0);"),
                 2),
         "faulted: thread (0, 0, 0): block 0 of the cluster has ended");
}

TEST_F(ClusterFaults, AClusterThatDoesNotDivideTheGrid) {
  KernelPlan plan = plan_of(kernel(""));
  plan.launches.front().launches.front().cluster = {2, 1, 1};
  expect(plan, "launch_failed: run: a cluster must divide the grid and have 1 to 16 blocks");
}

}  // namespace
}  // namespace tilewright::test
