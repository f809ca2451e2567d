#include <gtest/gtest.h>

#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright::test {
namespace {

class SubjectsTest : public testing::Test {
 protected:
  // With a time of each of both implementations.
  void tune(const SweepKey& key) {
    const SweepRecord sweep = store_.begin_sweep(key, environment(), Store::Start::fresh);
    for (const char* name : {"gemm/naive", "gemm/tiled"}) {
      Trial trial;
      trial.implementation = name;
      trial.configuration = tile(16);
      trial.outcome = Outcome::measured;
      trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1};
      store_.add_trial(sweep.id, trial);
    }
    store_.finish_sweep(sweep.id, "{}");
  }
  void tune(std::int64_t size, const std::string& device, CachePolicy cache = CachePolicy::warm) {
    SweepKey key = sweep_key(size);
    key.device.name = device;
    key.policy.cache = cache;
    tune(key);
  }

  Folder folder_;
  Store store_{folder_ / "results.db"};
};

TEST_F(SubjectsTest, AreListedOnceInTheOrderOfSettingsDevicesAndPolicies) {
  tune(256, "H200");
  tune(128, "H200", CachePolicy::cold);
  tune(128, "H200");
  tune(128, "A100", CachePolicy::cold);
  SweepKey other = sweep_key(128);
  other.device.kind = DeviceKind::host;
  tune(other);
  other = sweep_key(64);
  other.operation = other.problem.operation = "other";
  tune(other);
  store_.begin_sweep(sweep_key(512), environment(), Store::Start::fresh);  // no answer yet

  const SubjectList list = store_.subjects("gemm", DeviceKind::cuda);
  std::vector<std::string> found;
  for (const BestRow& row : store_.best_of(list.rows))
    found.push_back(to_text(row.problem.values.at("M")) + ' ' + row.device.name + ' ' +
                    to_text(row.policy.cache) + ' ' + row.implementation);
  std::vector<std::string> expected;
  for (const char* subject : {"128 A100 cold", "128 H200 warm", "128 H200 cold", "256 H200 warm"})
    for (const char* name : {" gemm/naive", " gemm/tiled"})
      expected.push_back(std::string(subject) + name);
  EXPECT_EQ(found, expected);
  ASSERT_EQ(list.rows.size(), 4U);
  EXPECT_EQ(list.rows.front().settings, canonical_json(cube(128).values));
  EXPECT_EQ(list.devices.at(list.rows.front().device).name, "A100");
}

TEST_F(SubjectsTest, OfNothingThereIsNothing) {
  EXPECT_TRUE(store_.subjects("gemm", DeviceKind::cuda).rows.empty());
  EXPECT_TRUE(store_.best_of({}).empty());
}

}  // namespace
}  // namespace tilewright::test
