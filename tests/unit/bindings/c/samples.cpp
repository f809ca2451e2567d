// Writes what the tests in C and Python work on into a new folder:
//   kernels/blend, kernels/diverge   definitions; one with every kind of argument, one whose launch
//                                    is refused
//   scale.toml                       an operation without a reference: y = factor · x
//   kernels/wide                     one whose blocks of 64 do not compile
//   results.db                       a sweep of gemm
//   several.db                       sweeps of gemm on two devices of similar names
//   stale.db                         one of diverge count=77 on the host device, with a compiler
//   that
//                                    is not here
//   blend.bundle                     blend count=30 for the host device
#include <filesystem>
#include <fstream>
#include <iostream>

// Before what names a namespace of ours `testing`.
#include "tests/unit/runtime/blend.hpp"

#include "runtime/bundle_maker.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/unit/campaign/scale_request.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/host/backend.hpp"

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

constexpr const char* kWideManifest = R"text(
schema = 1
[operation]
name = "wide"
[[operation.dimension]]
name = "count"
default = 64
[[operation.argument]]
name = "x"
role = "output"
type = "int32"
count = "count"
[operation.reference]
source = "wide.cu"
[[operation.reference.launch]]
entry = "wide"
grid = [1]
block = [1]
arguments = ["x"]
[[implementation]]
name = "plain"
source = "wide.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32
[[implementation.launch]]
entry = "wide"
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = ["x"]
)text";

constexpr const char* kWideSource = R"text(
#if BLOCK == 64
#error too wide
#endif
extern "C" __global__ void wide(int* x) { x[blockIdx.x * BLOCK + threadIdx.x] = BLOCK; }
)text";

// An exact result of this machine that other software than is here has measured.
void add_stale_sweep(const fs::path& file) {
  namespace tw = tilewright;
  tw::SweepKey key;
  key.operation = "diverge";
  key.problem = {"diverge", {{"count", 77}}};
  key.device = tw::host::device_report().device;
  key.policy.submission = "call";
  key.implementations = {{"diverge/plain", 1, "", "space", {{{"BLOCK", 32}}}}};
  key.strategy = "exhaustive";
  tw::Store store(file);
  const tw::SweepRecord record =
      store.begin_sweep(key, {"", "", "another compiler", "0.1.0"}, tw::Store::Start::resume);
  tw::Trial trial;
  trial.implementation = "diverge/plain";
  trial.configuration = {{{"BLOCK", 32}}};
  trial.outcome = tw::Outcome::measured;
  trial.verification = tw::Verification{77, 77, 0, 0, 1};
  for (const tw::Stage stage : {tw::Stage::screen, tw::Stage::final}) {
    trial.stage = stage;
    trial.timing = tw::summarise(std::vector<double>(6, 5.0), 3, 1980, 1);
    store.add_trial(record.id, trial);
  }
  store.finish_sweep(record.id, "{}");
}

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
  write(folder / "scale.toml", tilewright::test::kScaleManifest);
  write(folder / "scale.cu", tilewright::test::kScaleKernel);
  write(folder / "kernels/wide/operation.toml", kWideManifest);
  write(folder / "kernels/wide/wide.cu", kWideSource);
  tilewright::test::add_sample_sweep(folder / "results.db");
  for (const char* name : {"NVIDIA Test 9000", "NVIDIA Test 9000 X"})
    tilewright::test::add_sample_sweep(folder / "several.db",
                                       tilewright::test::sample_device(name));
  add_stale_sweep(folder / "stale.db");

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
