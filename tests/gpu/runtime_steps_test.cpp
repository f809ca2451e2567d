// Constants, loops and launches with macros on a GPU, as an application launches them.
#include <array>

#include "tests/gpu/application.hpp"
#include "tests/support/steps_library.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kNumbers = 1 << 20;

class StepsOnGpu : public RuntimeOnGpu {
 protected:
  Kernel kernel(const Runtime& runtime) const {
    return runtime.kernel(
        {"steps", {{"count", std::int64_t{kNumbers}}, {"steps", 4}}, DeviceSelector::cuda(0)});
  }
  RuntimeOptions steps() const {
    RuntimeOptions changed = options();
    changed.catalog.kernels = {write_steps_library(folder_)};
    return changed;
  }

  FolderOfFiles folder_;
};

// What one stream works on, with a constant of its own.
struct Work {
  explicit Work(float one) : factor(one), factors(std::vector<float>(4, one)) {}

  std::vector<Operand> list() const { return {x.data(), factors.data(), y.data()}; }
  void expect_right() const {
    for (const float value : y.values()) ASSERT_EQ(value, 2 * factor + 4);
  }

  float factor;
  GpuFloats factors;
  GpuFloats x{std::vector<float>(kNumbers, 2)};
  GpuFloats y{kNumbers}, workspace{kNumbers};
  GpuStream stream;
};

// Launches of two streams do not get each other's constants.
TEST_F(StepsOnGpu, StreamsHaveConstantsOfTheirOwn) {
  const Runtime runtime(steps());
  const Kernel shared = kernel(runtime);
  const std::array<Work, 2> works = {Work(3), Work(-5)};
  for (int round = 0; round < 20; ++round) {
    for (const Work& work : works)
      shared.launch(work.stream.get(), work.list(), {work.workspace.data()});
    if (round % 5 != 0) continue;
    for (const Work& work : works) {
      work.stream.wait();
      work.expect_right();
    }
  }
  for (const Work& work : works) {
    work.stream.wait();
    work.expect_right();
  }
}

TEST_F(StepsOnGpu, AGraphDoesNotCaptureConstants) {
  const Runtime runtime(steps());
  const Kernel one = kernel(runtime);
  const Work work(3);
  one.prepare();
  std::string message;
  const GpuGraph graph(work.stream, [&] {
    try {
      one.launch(work.stream.get(), work.list(), {work.workspace.data()});
    } catch (const LaunchError& error) {
      message = error.what();
    }
  });
  EXPECT_NE(message.find("a graph cannot capture it"), std::string::npos) << message;
  one.launch(work.stream.get(), work.list(), {work.workspace.data()});
  work.stream.wait();
  work.expect_right();
}

}  // namespace
}  // namespace tilewright::test
