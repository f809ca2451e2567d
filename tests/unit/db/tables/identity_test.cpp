#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "db/store/migrations.hpp"
#include "db/tables/rows.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

// Each changes one field of a device.
const std::vector<std::function<void(Device&)>> kDeviceChanges = {
    [](Device& d) { d.kind = DeviceKind::host; },
    [](Device& d) { d.name = "NVIDIA H100"; },
    [](Device& d) { ++d.compute_capability; },
    [](Device& d) { d.partition = "1g.18gb"; },
    [](Device& d) { d.sm_count /= 2; },
    [](Device& d) { ++d.l2_bytes; },
    [](Device& d) { ++d.shared_bytes_per_block; },
    [](Device& d) { ++d.shared_bytes_per_sm; },
    [](Device& d) { ++d.reserved_shared_bytes; },
    [](Device& d) { ++d.registers_per_block; },
    [](Device& d) { ++d.registers_per_sm; },
    [](Device& d) { ++d.max_threads_per_block; },
    [](Device& d) { ++d.max_threads_per_sm; },
    [](Device& d) { ++d.max_blocks_per_sm; },
    [](Device& d) { ++d.warp_size; },
    [](Device& d) { ++d.max_block[0]; },
    [](Device& d) { ++d.max_block[1]; },
    [](Device& d) { ++d.max_block[2]; },
    [](Device& d) { ++d.max_grid[0]; },
    [](Device& d) { ++d.max_grid[1]; },
    [](Device& d) { ++d.max_grid[2]; }};

TEST(Identity, EveryFieldOfADeviceIsPartOfIt) {
  test::Folder folder;
  Database database(folder / "i.db", Database::Mode::read_write, std::chrono::milliseconds(20));
  prepare_schema(database, schema_plan());
  std::set<std::int64_t> ids = {intern(database, test::h200())};
  for (const auto& change : kDeviceChanges) {
    Device device = test::h200();
    change(device);
    EXPECT_FALSE(find_id(database, device));
    const std::int64_t id = intern(database, device);
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_EQ(intern(database, device), id);
    EXPECT_EQ(find_id(database, device), id);
    Statement select(database, "SELECT " + columns_sql<Device>("d") + " FROM device d WHERE id = ?",
                     {id});
    ASSERT_TRUE(select.step());
    Columns columns(select);
    EXPECT_EQ(read_fields<Device>(columns), device);
  }
}

TEST(Identity, EveryFieldOfAKeyChangesTheHash) {
  const std::vector<std::function<void(SweepKey&)>> changes = {
      [](SweepKey& k) { k.operation = "gemv"; },
      [](SweepKey& k) { k.problem.operation = "gemv"; },
      [](SweepKey& k) { k.problem.values["M"] = std::int64_t{7}; },
      [](SweepKey& k) { k.problem.values["M"] = "1024"; },
      [](SweepKey& k) { k.device.sm_count = 66; },
      [](SweepKey& k) { k.policy.cache = CachePolicy::cold; },
      [](SweepKey& k) { k.policy.submission = "call"; },
      [](SweepKey& k) { k.implementations.pop_back(); },
      [](SweepKey& k) { k.implementations[0].name = "gemm/other"; },
      [](SweepKey& k) { k.implementations[0].epoch = 2; },
      [](SweepKey& k) { k.implementations[0].source_hash = "ee"; },
      [](SweepKey& k) { k.implementations[0].space_hash = "ee"; },
      [](SweepKey& k) { k.implementations[0].default_configuration = test::tile(4); },
      [](SweepKey& k) { std::swap(k.implementations[0], k.implementations[1]); },
      [](SweepKey& k) { k.where = "TILE_WIDTH > 8"; },
      [](SweepKey& k) { k.strategy = "exhaustive"; },
      [](SweepKey& k) { ++k.budget; },
      [](SweepKey& k) { ++k.seed; }};
  std::set<std::string> hashes = {request_hash(test::sweep_key())};
  EXPECT_EQ(hashes.begin()->size(), 32U);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SweepKey key = test::sweep_key();
    changes[i](key);
    EXPECT_TRUE(hashes.insert(request_hash(key)).second) << "change " << i;
  }
  EXPECT_EQ(request_hash(test::sweep_key()), request_hash(test::sweep_key()));
}

TEST(Identity, UuidsAreNotRepeated) {
  std::set<std::string> uuids;
  for (int i = 0; i < 100; ++i) uuids.insert(new_uuid());
  EXPECT_EQ(uuids.size(), 100U);
  EXPECT_EQ(uuids.begin()->size(), 32U);
  EXPECT_EQ(uuids.begin()->find_first_not_of("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
