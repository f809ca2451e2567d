// Units and protocol of timing; bounds are wide, because nothing here is about performance.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_bench.hpp"
#include "tuner/measure/sampling.hpp"

namespace tilewright::test {
namespace {

class SessionTiming : public SessionTest {
 protected:
  // A kernel that takes that many nanoseconds by the device's global timer.
  KernelPlan spinning(std::int64_t nanoseconds) const {
    return kernel(R"(
__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
extern "C" __global__ void run(long long nanoseconds) {
  const unsigned long long start = now();
  while (now() - start < static_cast<unsigned long long>(nanoseconds)) {
  }
}
)",
                  device(), launch("run", 1, 1, {number64(nanoseconds)}));
  }

  Timing time(const KernelPlan& plan, const SampleRequest& request) {
    const Attempt<Resources> loaded = session_->load(plan);
    EXPECT_TRUE(loaded.ok()) << to_text(loaded);
    const Attempt<Timing> timed = session_->sample(request);
    EXPECT_TRUE(timed.ok()) << to_text(timed);
    return timed.ok() ? timed.value() : Timing{};
  }
};

TEST_F(SessionTiming, FillsEveryField) {
  open_doubling();
  const SampleRequest request;
  const Timing timing = time(right_kernel(), request);
  EXPECT_GE(timing.samples_us.size(), static_cast<std::size_t>(request.minimum_samples));
  EXPECT_LE(timing.samples_us.size(), static_cast<std::size_t>(request.maximum_samples));
  EXPECT_GT(timing.minimum_us, 0);
  EXPECT_LE(timing.minimum_us, timing.lower_us);
  EXPECT_LE(timing.lower_us, timing.median_us);
  EXPECT_LE(timing.median_us, timing.upper_us);
  EXPECT_GE(timing.calls_per_sample, 1);
  EXPECT_GT(timing.sm_mhz, 100);
  EXPECT_LT(timing.sm_mhz, 5000);
}

TEST_F(SessionTiming, ACallOfKnownLengthIsMeasuredInMicroseconds) {
  open_doubling();
  const Timing timing = time(spinning(200'000), {});
  EXPECT_GT(timing.median_us, 150);
  EXPECT_LT(timing.median_us, 260);
}

TEST_F(SessionTiming, TwoLaunchesAreOneCall) {
  open_doubling();
  KernelPlan plan = spinning(100'000);
  plan.launches[0].launches.push_back(plan.launches[0].launches[0]);
  const Timing timing = time(plan, {});
  EXPECT_GT(timing.median_us, 150);
  EXPECT_LT(timing.median_us, 260);
}

TEST_F(SessionTiming, LongCallsAreNotRepeated) {
  open_doubling();
  SampleRequest request;
  request.budget_us = request.long_us = 1000;
  const Timing timing = time(spinning(5'000'000), request);
  EXPECT_EQ(timing.samples_us.size(), static_cast<std::size_t>(kSamplesOfLongCalls));
  EXPECT_EQ(timing.calls_per_sample, 1);
  EXPECT_GT(timing.median_us, 4000);
}

TEST_F(SessionTiming, AHopelessConfigurationIsAbandoned) {
  open_doubling();
  SampleRequest request;
  request.gates = {{3, 10}};
  EXPECT_EQ(time(spinning(100'000), request).samples_us.size(), 3U);
}

TEST_F(SessionTiming, ColdRotatesOperandSets) {
  constexpr std::int64_t count = 1 << 22;
  SessionPlan plan = plan_of({doubling(count, device())});
  plan.cache = CachePolicy::cold;
  session_->open(plan);
  const Timing timing = time(kernel(doubling_source(), device(), doubling_launch(count)), {});
  const int sets = operand_sets(CachePolicy::cold, 8 * count, device().l2_bytes);
  // On a slow machine a rotation is spread over samples.
  const bool is_long = timing.median_us * sets > 3000;
  EXPECT_TRUE(timing.calls_per_sample % sets == 0 || (is_long && timing.calls_per_sample < sets));
  EXPECT_GT(timing.median_us, 1);
  EXPECT_LT(timing.median_us, 10'000);
  const Attempt<Verification> verified = session_->verify();
  EXPECT_TRUE(verified.ok()) << "after timing: " << to_text(verified);
}

TEST_F(SessionTiming, ARotationThatTakesLongIsSpreadOverSamples) {
  constexpr std::int64_t count = 256;
  SessionPlan plan = plan_of({doubling(count, device())});
  plan.cache = CachePolicy::cold;
  session_->open(plan);
  const Timing timing = time(spinning(100'000), {});  // and at least 1000 operand sets
  EXPECT_LT(timing.calls_per_sample, operand_sets(CachePolicy::cold, 8 * count, device().l2_bytes));
  EXPECT_GE(timing.calls_per_sample, 5);
  EXPECT_GT(timing.median_us, 20);
}

TEST_F(SessionTiming, WithoutAProbeTheClockIsNotKnown) {
  SessionPlan plan = plan_of({doubling(kCount, device())});
  plan.probe_code.clear();
  session_->open(plan);
  const Timing timing = time(right_kernel(), {});
  EXPECT_GT(timing.median_us, 0);
  EXPECT_EQ(timing.sm_mhz, 0);
}

}  // namespace
}  // namespace tilewright::test
