#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/support/folder_of_files.hpp"
#include "tilewright/tune.hpp"

namespace tilewright::test {

inline constexpr const char* kScaleManifest = R"text(schema = 1
[operation]
name = "scale"
checks = [{ n = 37 }]
[[operation.dimension]]
name = "n"
default = 1000
[[operation.argument]]
name = "x"
count = "n"
[[operation.argument]]
name = "factor"
kind = "scalar"
fill = { kind = "constant", value = 3 }
[[operation.argument]]
name = "y"
role = "output"
count = "n"
[[implementation]]
name = "plain"
source = "scale.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32
[[implementation.launch]]
entry = "scale"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["x", "factor", "y", "n"]
)text";

inline constexpr const char* kScaleReference = R"text(
[operation.reference]
source = "scale.cu"
[[operation.reference.launch]]
entry = "scale"
grid = ["ceil_div(n, 64)"]
block = [64]
arguments = ["x", "factor", "y", "n"]
)text";

inline constexpr const char* kScaleKernel = R"text(
extern "C" __global__ void scale(const float* x, float factor, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
)text";

// y = factor · x on the host device, of 1000 floats that no fill of the manifest gives, in two
// configurations. Temporary files, locks included, are in a folder of the test's own.
class ScaleRequest : public ::testing::Test {
 protected:
  ScaleRequest() : x_(1000) {
    std::iota(x_.begin(), x_.end(), 1000.0F);
    folder_.write("scale.cu", kScaleKernel);
    folder_.write("scratch/empty", "");
    request_.operation = folder_.write("scale.toml", kScaleManifest);
    request_.device = "host";
    request_.database = folder_.path() / "results.db";
    request_.arrays = {{"x", x_.data(), x_.size() * sizeof(float)},
                       {"factor", &factor_, sizeof factor_}};
    request_.reference = [](const ReferenceCall& call) { scale(call, 1); };
    request_.worker = TILEWRIGHT_WORKER;
    request_.host_compiler = TILEWRIGHT_HOST_COMPILER;
    request_.cache_folder = std::filesystem::path(TILEWRIGHT_BINARY_DIR) / "tune_test_cache";
    request_.compile_processes = 1;
    request_.scratch = scratch();
    request_.lock_folder = scratch() / "locks";
  }

  // The right answer, times a mistake.
  static void scale(const ReferenceCall& call, float mistake) {
    const auto x = call.input<float>("x");
    const auto y = call.output<float>("y");
    for (std::size_t i = 0; i < x.size(); ++i)
      y[i] = mistake * call.input<float>("factor")[0] * x[i];
  }

  std::filesystem::path scratch() const { return folder_.path() / "scratch"; }

  // The definition with a reference of its own too.
  void add_reference() {
    request_.operation =
        folder_.write("with_reference.toml", std::string(kScaleManifest) + kScaleReference);
  }

  // Nothing was begun, and nothing is left.
  void expect_untouched() const {
    EXPECT_FALSE(std::filesystem::exists(request_.database));
    for (const auto& entry : std::filesystem::directory_iterator(scratch()))
      EXPECT_FALSE(entry.path().filename().string().starts_with("tilewright-data"));
  }

  FolderOfFiles folder_;
  std::vector<float> x_;
  float factor_ = 5;
  TuneRequest request_;
};

}  // namespace tilewright::test
