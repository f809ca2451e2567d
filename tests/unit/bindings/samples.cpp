// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Writes what the tests in C and Python work on into a new folder:
//   kernels/blend, kernels/diverge   definitions; one with every kind of argument, one whose launch
//                                    is refused
//   scale.toml                       an operation without a reference: y = factor · x
//   results.db                       a sweep of gemm
//   blend.bundle                     blend count=30 for the host device
#include <filesystem>
#include <fstream>
#include <iostream>

// Before what names a namespace of ours `testing`.
#include "tests/unit/runtime/blend.hpp"

#include "tests/cli/sample_store.hpp"
#include "tests/unit/tune/scale_request.hpp"
#include "tuner/backend/host/device.hpp"
#include "tuner/runtime/bundle_maker.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* kDivergeManifest = R"text(
schema = 1
[operation]
name = "diverge"
[[operation.dimension]]
name = "count"
default = 64
[[operation.argument]]
name = "x"
role = "output"
type = "int32"
count = "count"
[operation.reference]
source = "diverge.cu"
[[operation.reference.launch]]
entry = "diverge"
grid = [1]
block = [1]
arguments = ["x"]
[[implementation]]
name = "plain"
source = "diverge.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32]
default = 32
[[implementation.launch]]
entry = "diverge"
grid = [1]
block = ["BLOCK"]
arguments = ["x"]
)text";

// Threads that wait at different lines.
constexpr const char* kDivergeSource = R"text(
extern "C" __global__ void diverge(int* x) {
  if (threadIdx.x < 16) {
    __syncthreads();
    x[threadIdx.x] = 1;
  } else {
    __syncthreads();
    x[threadIdx.x] = 2;
  }
}
)text";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void write_samples(const fs::path& folder) {
  fs::remove_all(folder);
  write(folder / "kernels/blend/operation.toml", tilewright::test::kBlendManifest);
  write(folder / "kernels/blend/blend.cu", tilewright::test::kBlendSource);
  write(folder / "kernels/diverge/operation.toml", kDivergeManifest);
  write(folder / "kernels/diverge/diverge.cu", kDivergeSource);
  write(folder / "scale.toml", tilewright::testing::kScaleManifest);
  write(folder / "scale.cu", tilewright::testing::kScaleKernel);
  tilewright::testing::add_sample_sweep(folder / "results.db");

  tilewright::RuntimeOptions options;
  options.catalog.kernels = {folder / "kernels"};
  options.cache = folder / "code";
  tilewright::BundleMaker maker(options);
  maker.add({"blend", {{"count", 30}}, tilewright::host::device_report().device});
  write(folder / "blend.bundle", maker.bytes());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write_samples(argc > 1 ? argv[1] : "samples");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "samples: " << error.what() << '\n';
    return 1;
  }
}
