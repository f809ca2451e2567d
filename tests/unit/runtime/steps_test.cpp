// Constants, loops and launches with macros, launched by an application.
#include "runtime/bundle_maker.hpp"
#include "tests/support/steps_library.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

class Steps : public BlendTest {
 protected:
  RuntimeOptions options() const {
    RuntimeOptions options = BlendTest::options();
    options.catalog.kernels = {write_steps_library(folder_)};
    return options;
  }

  static KernelRequest request(std::int64_t steps) {
    return {"steps", {{"count", 100}, {"steps", steps}}, DeviceSelector::host()};
  }

  // With two different contents of the constant.
  static void expect_right(const Kernel& kernel, int steps) {
    std::vector<float> x(100, 2.0F), y(100);
    alignas(256) std::array<unsigned char, 512> workspace = {};
    ASSERT_LE(kernel.workspace_bytes(), 512);
    for (const float first : {1.0F, -8.0F}) {
      const std::vector<float> factors = {first, 3, 5, 7};
      kernel.launch(nullptr, {x.data(), factors.data(), std::span(y)}, {workspace.data()});
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y[i], factors[i % 4] * 2.0F + static_cast<float>(steps)) << i;
    }
  }
};

TEST_F(Steps, ARuntimeLaunchesThem) {
  const Runtime runtime(options());
  for (const int steps : {1, 4, 5}) expect_right(runtime.kernel(request(steps)), steps);
}

TEST_F(Steps, ABundleLaunchesThem) {
  BundleMaker maker(options());
  for (const int steps : {1, 4})
    maker.add({"steps", request(steps).problem, host::device_report().device});
  const Bundle bundle(folder_.write("steps.bundle", maker.bytes()));
  for (const int steps : {1, 4})
    expect_right(bundle.kernel({"steps", request(steps).problem, DeviceSelector::host()}), steps);
}

}  // namespace
}  // namespace tilewright::test
