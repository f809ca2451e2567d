// Textures over an application's buffers.
#include "runtime/bundle_maker.hpp"
#include "tests/support/texture_library.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

class RuntimeTextures : public BlendTest {
 protected:
  RuntimeOptions options() const {
    RuntimeOptions options = BlendTest::options();
    options.catalog.kernels = {write_texture_library(folder_)};
    return options;
  }

  static KernelRequest request(const std::string& memory) {
    return {"means", {{"count", 100}, {"memory", memory}}, DeviceSelector::host()};
  }

  // With two different buffers.
  static void expect_right(const Kernel& kernel) {
    for (const float first : {1.0F, -8.0F}) {
      std::vector<float> x(100, first), shift(100), y(100);
      x.back() = first + 4;
      for (std::size_t i = 0; i < 100; ++i) shift[i] = static_cast<float>(i);
      kernel.launch(nullptr, {x.data(), shift.data(), std::span(y)});
      for (std::size_t i = 0; i < 100; ++i)
        ASSERT_EQ(y[i], first + (i == 98 ? 2.0F : i == 99 ? 4.0F : 0.0F) + shift[i]) << i;
    }
  }
};

TEST_F(RuntimeTextures, ARuntimeMakesThem) {
  const Runtime runtime(options());
  for (const std::string memory : {"array", "linear"})
    expect_right(runtime.kernel(request(memory)));
}

TEST_F(RuntimeTextures, ABundleMakesThem) {
  BundleMaker maker(options());
  for (const std::string memory : {"array", "linear"})
    maker.add({"means", request(memory).problem, host::device_report().device});
  const Bundle bundle(folder_.write("means.bundle", maker.bytes()));
  for (const std::string memory : {"array", "linear"})
    expect_right(bundle.kernel({"means", request(memory).problem, DeviceSelector::host()}));
}

}  // namespace
}  // namespace tilewright::test
