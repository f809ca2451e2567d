#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tests/gpu/gpu_support.hpp"

namespace tilewright::test {

// Arguments of a launch by hand.
PlannedArgument argument(int index);
PlannedArgument number(std::int32_t value);
PlannedArgument number64(std::int64_t value);
PlannedArgument workspace(std::int64_t offset);

PlannedBuffer buffer(const std::string& name, ArgumentRole role, std::int64_t count);

PlannedLaunch launch(const std::string& entry, std::int64_t blocks, std::int64_t threads,
                     std::vector<PlannedArgument> arguments);

// A problem with x → y, y = 2 · x, `count` floats each; the answers come from a kernel of its
// own.
inline constexpr std::int64_t kCount = 1000;
inline constexpr std::int64_t kThreads = 128;
SessionProblem doubling(std::int64_t count, const Device& device);

// The launch of a kernel (const float* x, float* y, int count), a thread for each element.
PlannedLaunch doubling_launch(std::int64_t count, const std::string& entry = "run");

// `source` with its kernels, run by `launches` on the session's problems in turn.
KernelPlan kernel(const std::string& source, const Device& device,
                  std::vector<LaunchPlan> launches);
KernelPlan kernel(const std::string& source, const Device& device, PlannedLaunch launch);

// A session on the doubling of kCount numbers; each test gives its own kernel.
class SessionTest : public GpuTest {
 protected:
  void SetUp() override;

  SessionPlan plan_of(std::vector<SessionProblem> problems) const;
  void open(std::vector<SessionProblem> problems);
  void open_doubling() { open({doubling(kCount, device())}); }

  // Loads and verifies; the failure of whichever failed.
  Attempt<Verification> judge(const KernelPlan& plan);
  Attempt<Verification> judge(const std::string& source);

  // A kernel that is right; for showing that the session still works.
  KernelPlan right_kernel() const;
  void expect_session_works();

  std::unique_ptr<Evaluator> session_;
};

// The body of a right kernel, for tests that add a mistake after it.
std::string doubling_source(const std::string& mistake = "");

}  // namespace tilewright::test
