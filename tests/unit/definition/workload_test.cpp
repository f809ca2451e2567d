#include "definition/problem.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

class WorkloadTest : public ManifestTest {
 protected:
  WorkloadTest() : operation_(read(kComplete).operations.at(0)) {}

  std::int64_t size(std::size_t index, const std::string& name) const {
    return std::get<std::int64_t>(
        drawn(operation_, operation_.workloads.at(0), index, DeviceKind::cuda).at(name));
  }

  Operation operation_;
};

TEST_F(WorkloadTest, IsReadFromTheManifest) {
  ASSERT_EQ(operation_.workloads.size(), 1U);
  const Workload& workload = operation_.workloads.front();
  EXPECT_EQ(workload.name, "short");
  ASSERT_EQ(workload.sizes.size(), 2U);
  EXPECT_EQ(workload.sizes[0].dimension, "length");
  EXPECT_EQ(workload.sizes[0].step, 64);
  EXPECT_EQ(workload.sizes[1].to, 33);
  EXPECT_EQ(workload.choices, std::vector<std::string>{"boundary"});
}

TEST_F(WorkloadTest, SizesAreWithinTheirRangesAndEverywhereInThem) {
  std::map<std::int64_t, int> lengths;
  std::map<std::int64_t, int> taps;
  constexpr int kCount = 1000;
  for (std::size_t i = 0; i < kCount; ++i) {
    ++lengths[size(i, "length")];
    ++taps[size(i, "taps")];
  }
  for (std::int64_t length = 64; length <= 512; length += 64) EXPECT_GT(lengths[length], 0);
  EXPECT_EQ(lengths.size(), 8U);
  EXPECT_EQ(taps.begin()->first, 3);
  EXPECT_EQ(taps.rbegin()->first, 33);
  int below = 0;  // the middle of the logarithms of 3 and 33
  for (const auto& [count, times] : taps)
    if (count < 10) below += times;
  EXPECT_NEAR(below, kCount / 2, kCount / 20);
}

TEST_F(WorkloadTest, AnIndexAlwaysMeansTheSameProblem) {
  const Workload& workload = operation_.workloads.front();
  std::set<Settings> distinct;
  std::map<Value, int> boundaries;
  for (std::size_t i = 0; i < 100; ++i) {
    const Settings settings = drawn(operation_, workload, i, DeviceKind::cuda);
    EXPECT_EQ(settings, drawn(operation_, workload, i, DeviceKind::cuda));
    distinct.insert(settings);
    ++boundaries[settings.at("boundary")];
  }
  EXPECT_GT(distinct.size(), 80U);
  EXPECT_NEAR(boundaries["zero"], 50, 5);
  EXPECT_NEAR(boundaries["wrap"], 50, 5);
}

TEST_F(WorkloadTest, OnTheHostSizesAreSmaller) {
  Workload workload = operation_.workloads.front();
  workload.sizes[0].step = 4;  // the host's default is a sixteenth
  for (std::size_t i = 0; i < 20; ++i) {
    const Settings there = drawn(operation_, workload, i, DeviceKind::cuda);
    const Settings here = drawn(operation_, workload, i, DeviceKind::host);
    const std::int64_t sixteenth = std::get<std::int64_t>(there.at("length")) / 16;
    EXPECT_EQ(std::get<std::int64_t>(here.at("length")), sixteenth / 4 * 4);
    EXPECT_EQ(here.at("taps"), there.at("taps")) << "it has no other default there";
  }
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(drawn(operation_, operation_.workloads.front(), i, DeviceKind::host).at("length"),
              Value(64));
}

TEST_F(WorkloadTest, WithoutOneTheDefaultsStandInTheMiddle) {
  operation_.workloads.clear();
  const std::vector<Workload> all = workloads_of(operation_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "all");
  ASSERT_EQ(all[0].sizes.size(), 1U) << "taps and pitch are no distances";
  EXPECT_EQ(all[0].sizes[0].from, 128);
  EXPECT_EQ(all[0].sizes[0].to, 8192);
}

TEST_F(WorkloadTest, RefusesWhatIsNoRange) {
  const auto expect = [this](const std::string& from, const std::string& to,
                             const std::string& sentence) {
    expect_error(from, to, line_of("sizes = { length"), sentence);
  };
  expect("length = [64, 512, 64]", "length = [64]", "must be [from, to] or [from, to, step]");
  expect("length = [64, 512, 64]", "length = [64, \"512\"]", "integers");
  expect("length = [64, 512, 64]", "length = [64, 70000]", "from 1 to 65535 at most");
  expect("length = [64, 512, 64]", "length = [65, 100, 64]", "a multiple of the step");
  expect("taps = [3, 33]", "taps = [2, 33]", "from 3 to");
  expect("taps = [3, 33]", "tops = [3, 33]", "unknown key 'tops' in 'sizes'");
  expect_error("choices = [\"boundary\"]", "choices = [\"taps\"]", line_of("choices = [\"boundary"),
               "'taps' is no choice of the operation");
}

}  // namespace
}  // namespace tilewright
