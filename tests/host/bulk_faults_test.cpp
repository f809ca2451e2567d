// Kernels of bulk copies and barriers: right ones pass, and each mistake is found out and named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/host/bulk_support.hpp"

namespace tilewright::test {
namespace {

// One warp, the first or the last, brings boxes; the others use them.
struct Ring {
  std::string producer = "t < 32";
  std::string before_copy = "wait_for_phase(&empty[s], (i / kStages & 1) ^ 1);";
  std::string before_use = "wait_for_phase(&full[s], i / kStages & 1);";
  std::string after_use = "arrive_at_barrier(&empty[s]);";
  std::string bytes = "kBytes";
  std::string x = "0";
};

std::string source_of(const Ring& ring) {
  return kernel(fmt::format(R"(
  __shared__ __align__(128) float stages[kStages][kBox];
  __shared__ BulkBarrier full[kStages], empty[kStages];
  if (t == 0)
    for (int s = 0; s < kStages; ++s) {{
      init_barrier(&full[s]);
      init_barrier(&empty[s], 96);
    }}
  __syncthreads();
  const bool produces = {};
  for (int i = 0; i < kBoxes; ++i) {{
    const int s = i % kStages;
    if (!produces) {{
      {}
      for (int e = t % 96; e < kBox && kBox * i + e < count; e += 96)
        y[kBox * i + e] = 2.0f * stages[s][e];
      {}
    }} else if (t % 32 == 0) {{
      {}
      expect_bytes(&full[s], {});
      start_box(stages[s], map, {}, 4 * i, &full[s]);
    }}
  }})",
                            ring.producer, ring.before_use, ring.after_use, ring.before_copy,
                            ring.bytes, ring.x));
}

class BulkFaults : public BulkTest {
 protected:
  // A mistake in a ring: wrong numbers, or more or fewer arrivals than there can be.
  void expect_found(const Ring& ring) {
    const std::string all = judged(plan_of(source_of(ring)));
    EXPECT_TRUE(all.starts_with("wrong_answer") || all.starts_with("launch_failed: ")) << all;
  }
};

TEST_F(BulkFaults, ARightRingPasses) {
  expect(plan_of(source_of({})), "ok");
  expect(plan_of(source_of({.producer = "t >= 96"})), "ok");
}

TEST_F(BulkFaults, AConsumerThatDoesNotWait) {
  for (const std::string producer : {"t < 32", "t >= 96"})
    expect_found({.producer = producer, .before_use = ""});
}

TEST_F(BulkFaults, AConsumerThatDoesNotWaitOnce) {
  for (const std::string producer : {"t < 32", "t >= 96"})
    for (const std::string box : {"0", "3", "6"})
      expect(plan_of(source_of({.producer = producer,
                                .before_use = "if (i != " + box +
                                              " || t % 32 != 7) "
                                              "wait_for_phase(&full[s], i / kStages & 1);"})),
             "wrong_answer");
}

TEST_F(BulkFaults, AConsumerThatWaitsForTheWrongPhase) {
  for (const std::string producer : {"t < 32", "t >= 96"})
    expect_found({.producer = producer, .before_use = "wait_for_phase(&full[s], 0);"});
}

TEST_F(BulkFaults, AConsumerThatReadsAfterItHasGivenTheStageBack) {
  for (const std::string producer : {"t < 32", "t >= 96"})
    expect(plan_of(source_of({.producer = producer,
                              .before_use = "wait_for_phase(&full[s], i / kStages & 1);\n"
                                            "arrive_at_barrier(&empty[s]);",
                              .after_use = ""})),
           "wrong_answer");
}

TEST_F(BulkFaults, AProducerThatOverwritesAStageThatIsStillRead) {
  for (const std::string producer : {"t < 32", "t >= 96"})
    for (const std::string wait :
         {"", "if (i >= 2 * kStages) wait_for_phase(&empty[s], i / kStages & 1);",
          "if (i != 4) wait_for_phase(&empty[s], (i / kStages & 1) ^ 1);"})
      expect_found({.producer = producer, .before_copy = wait});
}

TEST_F(BulkFaults, ADeadlockIsNamedAndEnds) {
  expect(plan_of(source_of({.after_use = "if (t % 96 != 5) arrive_at_barrier(&empty[s]);"})),
         "deadlock: no thread can go on: thread (0, 0, 0) waits for the end of a phase of parity 0 "
         "of the barrier at byte 0 of a static variable of 16 bytes in shared memory, which lacks "
         "1 of 96 arrivals and 0 bytes; thread (32, 0, 0) waits for");
  expect(plan_of(source_of({.bytes = "kBytes + 64"})), "lacks 0 of 1 arrivals and 64 bytes");
  expect(plan_of(kernel("if (t < 64) __syncthreads(); else if (t < 96) "
                        "wait_at_named_barrier(1, 64);")),
         "thread (0, 0, 0) waits for its block at line test.cu:8; thread (64, 0, 0) waits for the "
         "named barrier 1, where 32 "
         "of 64 threads have arrived");
}

TEST_F(BulkFaults, MoreBytesThanWereExpected) {
  expect(plan_of(source_of({.bytes = "kBytes - 64"})), "has 64 bytes more than were expected");
}

TEST_F(BulkFaults, ABoxThatBeginsWhereTheHardwareCannot) {
  expect(plan_of(source_of({.x = "1"})), "faulted: thread (0, 0, 0): a box at x = 1, 4 bytes");
  expect(plan_of(source_of({.x = "-2"})), "a box at x = -2, -8 bytes; it must begin at a multiple");
}

TEST_F(BulkFaults, ABarrierThatNobodyHasInitialised) {
  expect(
      plan_of(kernel("__shared__ BulkBarrier barrier;\n  if (t == 0) expect_bytes(&barrier, 0);")),
      "was not initialised, or has been overwritten");
  expect(plan_of(kernel("__shared__ BulkBarrier barrier;\n  init_barrier(&barrier, 0);")),
         "a barrier of 0 arrivals");
}

TEST_F(BulkFaults, ACopyThatNobodyWaitsFor) {
  const auto source = [](const std::string& wait) {
    return kernel(fmt::format(R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ BulkBarrier barrier;
  if (t == 0) init_barrier(&barrier);
  __syncthreads();
  for (int i = 0; i < kBoxes; ++i) {{
    if (t == 0) {{
      expect_bytes(&barrier, kBytes);
      start_box(box, map, 0, 4 * i, &barrier);
    }}
    {}
    __syncthreads();
    for (int e = t; e < kBox && kBox * i + e < count; e += 128) y[kBox * i + e] = 2.0f * box[e];
    __syncthreads();
  }})",
                              wait));
  };
  expect(plan_of(source("wait_for_bytes(&barrier, i & 1);")), "ok");
  expect(plan_of(source("if (t == 0) wait_for_bytes(&barrier, i & 1);")), "ok");
  expect(plan_of(source("")), "(threads in reverse order)");
}

// Stores rows of y as bytes, twice through the same box.
std::string storing(const std::string& between, const std::string& in_the_end) {
  return kernel(fmt::format(R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ BulkBarrier barrier;
  if (t == 0) init_barrier(&barrier);
  __syncthreads();
  for (int i = 0; i < kBoxes; ++i) {{
    if (t == 0) {{
      expect_bytes(&barrier, kBytes);
      start_box(box, map, 0, 4 * i, &barrier);
    }}
    wait_for_bytes(&barrier, i & 1);
    for (int e = t; e < kBox; e += 128) box[e] *= 2.0f;
    proxy_fence();
    __syncthreads();
    if (t == 0) {{
      const int left = count - kBox * i;
      store_bytes(y + kBox * i, box, 4 * (left < kBox ? left : kBox));
      end_store_group();
      {}
    }}
    __syncthreads();
  }}
  if (t == 0) {{ {} }})",
                            between, in_the_end));
}

TEST_F(BulkFaults, AStoreWhoseSharedMemoryIsUsedAgainTooSoon) {
  expect(plan_of(storing("wait_for_store_reads<0>();", "")), "ok");
  expect(plan_of(storing("", "wait_for_store_reads<0>();")), "(threads in reverse order)");
  expect(plan_of(storing("wait_for_store_reads<1>();", "wait_for_stores();")),
         "(threads in reverse order)");
}

TEST_F(BulkFaults, AStoreThatABlockDoesNotWaitForInTheEnd) {
  expect(plan_of(storing("if (i < 6) wait_for_store_reads<0>();", "wait_for_stores();")), "ok");
  expect(plan_of(storing("if (i < 6) wait_for_store_reads<0>();", "")),
         "(threads in reverse order)");
}

TEST_F(BulkFaults, BytesThatAreNotAligned) {
  expect(plan_of(storing("store_bytes(y + 1, box, 16);", "")),
         "faulted: thread (0, 0, 0): a bulk copy of 16 bytes between addresses 4 and 0 bytes "
         "beyond a multiple of 16");
  expect(plan_of(storing("store_bytes(y, box, 8);", "")), "a bulk copy of 8 bytes");
}

// Two groups of 64 threads exchange numbers with their neighbours.
std::string exchanging(const std::string& wait) {
  return kernel(fmt::format(R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ float own[128];
  __shared__ BulkBarrier barrier;
  if (t == 0) init_barrier(&barrier);
  __syncthreads();
  for (int i = 0; i < kBoxes; ++i) {{
    if (t == 0) {{
      expect_bytes(&barrier, kBytes);
      start_box(box, map, 0, 4 * i, &barrier);
    }}
    wait_for_bytes(&barrier, i & 1);
    const int group = t / 64;
    for (int part = 0; part < 3; ++part) {{
      const int e = part * 64 + t % 64;
      if (part % 2 != group || e >= kBox) continue;
      own[t] = 2.0f * box[e];
      {}
      if (kBox * i + (e ^ 1) < count) y[kBox * i + (e ^ 1)] = own[t ^ 1];
      {}
    }}
    __syncthreads();
  }})",
                            wait, wait));
}

TEST_F(BulkFaults, NamedBarriers) {
  expect(plan_of(exchanging("wait_at_named_barrier(1 + group, part == 2 ? 32 : 64);")), "ok");
  expect(plan_of(exchanging("")), "wrong_answer");
  expect(plan_of(exchanging("wait_at_named_barrier(1 + group, 48);")),
         "the named barrier 1 of 48 threads; it must be a multiple of 32, at most the block's 128");
  expect(plan_of(exchanging("wait_at_named_barrier(0, 64);")), "it must be 1 to 15");
  expect(plan_of(exchanging("wait_at_named_barrier(1, t < 32 ? 64 : 32);")),
         "at which others have arrived as one of 64");
}

// Warps with even numbers give numbers to those behind them.
TEST_F(BulkFaults, ANamedBarrierAtWhichSomeOnlyArrive) {
  const auto source = [](const std::string& give, const std::string& take) {
    return kernel(fmt::format(R"(
  __shared__ float given[128];
  __shared__ __align__(128) float box[kBox];
  __shared__ BulkBarrier barrier;
  if (t == 0) init_barrier(&barrier);
  __syncthreads();
  for (int i = 0; i < kBoxes; ++i) {{
    if (t == 0) {{
      expect_bytes(&barrier, kBytes);
      start_box(box, map, 0, 4 * i, &barrier);
    }}
    wait_for_bytes(&barrier, i & 1);
    const int pair = t / 64;
    for (int part = 0; part < 5; ++part) {{
      const int e = part * 32 + t % 32;
      if (part % 2 != pair) continue;
      if (t % 64 < 32) {{
        given[t] = 2.0f * box[e];
        {}
      }} else {{
        {}
        if (kBox * i + e < count) y[kBox * i + e] = given[t - 32];
      }}
      wait_at_named_barrier(3 + pair, 64);
    }}
    __syncthreads();
  }})",
                              give, take));
  };
  const std::string arrive = "arrive_at_named_barrier(1 + pair, 64);";
  const std::string wait = "wait_at_named_barrier(1 + pair, 64);";
  expect(plan_of(source(arrive, wait)), "ok");
  expect(plan_of(source("", "")), "wrong_answer");
  expect(plan_of(source(arrive, "")), "wrong_answer");
}

TEST_F(BulkFaults, BarriersOfAWarp) {
  const auto source = [](const std::string& barrier) {
    return kernel(fmt::format(R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ float own[128];
  __shared__ BulkBarrier barrier;
  if (t == 0) init_barrier(&barrier);
  __syncthreads();
  for (int i = 0; i < kBoxes; ++i) {{
    if (t == 0) {{
      expect_bytes(&barrier, kBytes);
      start_box(box, map, 0, 4 * i, &barrier);
    }}
    wait_for_bytes(&barrier, i & 1);
    for (int e = t; e < kBox; e += 128) {{
      own[t] = 2.0f * box[e];
      {}
      if (kBox * i + (e ^ 1) < count) y[kBox * i + (e ^ 1)] = own[t ^ 1];
      {}
    }}
    __syncthreads();
  }})",
                              barrier, barrier));
  };
  expect(plan_of(source("__syncwarp();")), "ok");
  expect(plan_of(source("__syncwarp(t & 16 ? 0xffff0000u : 0xffffu);")), "ok");
  expect(plan_of(source("")), "wrong_answer");
  expect(plan_of(source("if (t % 32 != 7) __syncwarp(); else __syncthreads();")),
         "waits for its warp at line test.cu:");
}

TEST_F(BulkFaults, WhatOnlyTheDriverTakes) {
  KernelPlan plan = plan_of(source_of({}));
  PlannedTensorMap& map = plan.launches.front().launches.front().arguments.front().map;
  map.strides = {kColumns + 1};
  expect(plan, "launch_failed: a tensor map: strides[0] = 41");
  map.strides = {kColumns};
  map.box = {8, kBoxRows};
  map.swizzle = 64;
  expect(plan, "unsupported: the host device has no tensor maps with a swizzle of 64 bytes");
}

// `copy` is of 8 pixels of a row of 4, each of 4 channels, or a box of them.
TEST_F(BulkFaults, PixelsThatNoHardwareBrings) {
  const auto expect_of = [&](const std::string& copy, const std::string& answer) {
    KernelPlan plan = plan_of(kernel(R"(
  __shared__ __align__(128) float box[kBox];
  __shared__ BulkBarrier barrier;
  if (t == 0) {
    init_barrier(&barrier);
    expect_bytes(&barrier, 128);
    )" + copy + R"(
  }
  __syncthreads();
  wait_for_bytes(&barrier, 0);
  for (int i = t; i < count; i += 128) y[i] = i < 32 ? 2 * box[i] : 0;
)"));
    plan.launches.front().launches.front().arguments.front().map = {
        ElementType::float32, {4, 4, 25}, {4, 16}, {4, 8}, 0, 0, {-1}, {0}, {1}};
    expect(plan, answer);
  };
  expect_of("start_pixels(box, map, {0, 0, 0}, {0}, &barrier);", "wrong_answer");
  expect_of("start_pixels(box, map, {0, 4, 0}, {0}, &barrier);",
            "faulted: thread (0, 0, 0): pixels from 4 on along dims[1]; the corners leave -1 to 3");
  expect_of("start_pixels(box, map, {0, 0, 0}, {65536}, &barrier);",
            "pixels with an offset of 65536 along dims[1]; it must be 0 to 65535");
  expect_of("start_box(box, map, 0, 0, 0, &barrier);",
            "a copy of a box by a tensor map in im2col mode");
  expect_of("start_pixels(box, map, {0, 0, 0, 0}, {0, 0}, &barrier);",
            "a copy of a box of 4 dimensions by a tensor map of 3");
  expect_of("store_box(map, box, 0, 0, 0);", "a copy of a box by a tensor map in im2col mode");
}

}  // namespace
}  // namespace tilewright::test
