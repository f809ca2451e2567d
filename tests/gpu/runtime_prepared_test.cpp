// Inputs that an application prepares once, on a GPU.
#include "tests/gpu/application.hpp"

namespace tilewright::test {
namespace {

constexpr std::size_t kCount = 1 << 16;

class PreparedOnGpu : public RuntimeOnGpu {
 protected:
  Kernel kernel() const {
    RuntimeOptions changed = options();
    changed.catalog.manifests = {TILEWRIGHT_SOURCE_DIR "/tests/definitions/prepared.toml"};
    const Settings problem = {{"count", std::int64_t{kCount}}, {"taps", 3}, {"filter", "prepared"}};
    return Runtime(changed).kernel({"ring_filter/reordered", problem, DeviceSelector::cuda(0)});
  }
};

// Filters ones, so that every output is the sum of the taps.
struct Ones {
  void launch(const Kernel& kernel, const PreparedInput& filter) const {
    kernel.launch(stream.get(), {x.data(), filter, y.data()}, {workspace.data()});
  }
  void change_taps(const std::vector<float>& values) const {
    must(cudaMemcpy(taps.data(), values.data(), sizeof(float) * values.size(),
                    cudaMemcpyHostToDevice));
    must(cudaStreamSynchronize(nullptr));
  }
  void expect_all(float sum) const {
    stream.wait();
    for (const float value : y.values()) ASSERT_EQ(value, sum);
    y.poison();
  }

  GpuFloats taps{std::vector<float>{1, -2, 4}};
  GpuFloats x{std::vector<float>(kCount, 1)};
  GpuFloats y{kCount}, workspace{kCount};
  GpuStream stream;
};

TEST_F(PreparedOnGpu, AGraphReadsWhatIsPreparedThen) {
  const Kernel one = kernel();
  const Ones ones;
  const PreparedInput filter = one.prepare_input(ones.stream.get(), ones.taps.data());
  EXPECT_EQ(filter.bytes(), 24);
  ones.launch(one, filter);
  ones.expect_all(3);
  const GpuGraph graph(ones.stream, [&] { ones.launch(one, filter); });
  ones.change_taps({5, 5, 5});
  graph.run();
  ones.expect_all(3);
  filter.prepare_again(ones.stream.get());
  graph.run();
  ones.expect_all(15);
}

TEST_F(PreparedOnGpu, AGraphPreparesAtEachReplay) {
  const Kernel one = kernel();
  one.prepare();
  const Ones ones;
  PreparedInput filter;
  const GpuGraph graph(ones.stream, [&] {
    filter = one.prepare_input(ones.stream.get(), ones.taps.data());
    ones.launch(one, filter);
  });
  graph.run();
  ones.expect_all(3);
  ones.change_taps({5, 5, 5});
  graph.run();
  ones.expect_all(15);
}

}  // namespace
}  // namespace tilewright::test
