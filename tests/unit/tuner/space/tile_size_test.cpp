#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tuner/space/example.hpp"
#include "tuner/space/space.hpp"

// The textbook's arithmetic on tile size: each phase of the tiled product loads two tiles of
// T × T floats, one element of each by every one of T × T threads, and adds up T products a
// thread.
namespace tilewright {
namespace {

constexpr const char* kShared = "2 * TILE_WIDTH * TILE_WIDTH * 4";

std::int64_t per_block(const std::string& text, std::int64_t tile) {
  const Settings values = {{"TILE_WIDTH", tile}};
  return Expression::parse(text).evaluate(scope_over({&values}));
}

TEST(TileSize, DecidesLoadsAndOperationsOfAPhase) {
  const std::string threads = "TILE_WIDTH * TILE_WIDTH";
  const std::string loads = "2 * TILE_WIDTH * TILE_WIDTH";
  const std::string operations = "TILE_WIDTH * TILE_WIDTH * (2 * TILE_WIDTH)";
  EXPECT_EQ(per_block(threads, 16), 256);
  EXPECT_EQ(per_block(loads, 16), 512);
  EXPECT_EQ(per_block(operations, 16), 8192);
  EXPECT_EQ(per_block(kShared, 16), 2 * 1024);
  EXPECT_EQ(per_block(threads, 32), 1024);
  EXPECT_EQ(per_block(loads, 32), 2048);
  EXPECT_EQ(per_block(operations, 32), 65536);
  EXPECT_EQ(per_block(kShared, 32), 8 * 1024);
  // Operations for each load grow with the tile: one for each of its columns.
  for (const std::int64_t tile : {4, 8, 16, 32})
    EXPECT_EQ(per_block(operations, tile) / per_block(loads, tile), tile);
}

Implementation textbook() {
  Implementation implementation = test::plain();
  implementation.parameters = {
      test::parameter("TILE_WIDTH", {4, 8, 16, 32, 48, 64}, std::int64_t{16})};
  implementation.launches[0].block[0] = Expression::parse("TILE_WIDTH");
  implementation.launches[0].block[1] = Expression::parse("TILE_WIDTH");
  implementation.estimate.shared_bytes = Expression::parse(kShared);
  return implementation;
}

TEST(TileSize, IsLimitedByThreadsBeforeSharedMemory) {
  Device device;
  device.shared_bytes_per_block = 16384;
  const Space space = build_space(test::copy(), textbook(), {"copy", {}}, device);
  EXPECT_EQ(space.legal.size(), 4U);
  ASSERT_EQ(space.pruned.size(), 2U);
  EXPECT_EQ(space.pruned[0].message, "block of 48 × 48 = 2304 threads; the device allows 1024");
  EXPECT_EQ(space.pruned[1].message, "block of 64 × 64 = 4096 threads; the device allows 1024");
}

TEST(TileSize, IsLimitedBySharedMemoryWhereThreadsAreNot) {
  Device device;
  device.shared_bytes_per_block = 16384;
  device.max_threads_per_block = 0;
  const Space space = build_space(test::copy(), textbook(), {"copy", {}}, device);
  ASSERT_EQ(space.pruned.size(), 2U);
  EXPECT_EQ(space.pruned[0].rule, "shared_memory");
  EXPECT_EQ(space.pruned[0].message,
            "estimated shared memory of 18432 bytes a block; the device allows 16384");
}

}  // namespace
}  // namespace tilewright
