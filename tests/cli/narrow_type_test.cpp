// Arguments of 8 and 16 bits, through the program, on the host device.
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kSmoothManifest = R"TOML(
schema = 1
[operation]
name = "smooth"
[[operation.dimension]]
name = "length"
default = 1003
[[operation.dimension]]
name = "taps"
default = 5
[[operation.argument]]
name = "signal"
type = "int8"
count = "length"
fill = { kind = "integers", low = -1, high = 1 }
[[operation.argument]]
name = "filter"
type = "float16"
count = "taps"
[[operation.argument]]
name = "output"
type = "bfloat16"
role = "output"
count = "length"
[operation.reference]
builtin = "conv1d"
[operation.compare]
reduction = "taps"
[[implementation]]
name = "bits"
source = "bits.cu"
[[implementation.parameter]]
name = "ROUNDING"
values = ["nearest", "zero"]
default = "nearest"
[[implementation.parameter]]
name = "TERMS"
about = "1: the last is forgotten"
values = [0, 1]
default = 0
[[implementation.launch]]
entry = "smooth"
grid = ["ceil_div(length, 128)"]
block = [128]
arguments = ["signal", "filter", "output", "length", "taps"]
)TOML";

constexpr const char* kSmoothKernel = R"CUDA(
__device__ float of_half(unsigned bits) {  // for normal numbers and zero
  union { unsigned bits; float value; } number;
  number.bits = (bits & 0x8000u) << 16;
  if ((bits & 0x7C00u) != 0) number.bits |= ((bits & 0x7FFFu) << 13) + (112u << 23);
  return number.value;
}
extern "C" __global__ void smooth(const signed char* signal, const unsigned short* filter,
                                  unsigned short* output, int length, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  union { float value; unsigned bits; } sum;
  sum.value = 0;
  for (int t = 0; t < taps - TERMS; ++t) {
    const int from = i + t - taps / 2;
    if (from >= 0 && from < length) sum.value += of_half(filter[t]) * signal[from];
  }
#if ROUNDING == ROUNDING_NEAREST
  sum.bits += 0x7FFFu + ((sum.bits >> 16) & 1u);
#endif
  output[i] = sum.bits >> 16;
}
)CUDA";

TEST(NarrowTypes, AreFilledAndJudgedAsTheTypesTheyAre) {
  const TemporaryFolder home;
  write_text(home / "smooth.toml", kSmoothManifest);
  write_text(home / "bits.cu", kSmoothKernel);
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, (home / "smooth.toml").string());
    return run_tilewright(home.path(), words);
  };
  const Finished sweep = run({"sweep", "--device", "host", "--budget", "all"});
  ASSERT_EQ(sweep.status, 0) << sweep.err << sweep.out;
  EXPECT_NE(sweep.out.find("WRONG ANSWERS: 3 of 4"), std::string::npos) << sweep.out;
  EXPECT_NE(sweep.out.find("best of 1 correct: smooth/bits "), std::string::npos) << sweep.out;
  const Finished show =
      run({"show", "--reproducer", "--config", "ROUNDING=zero", "--arch", "sm_90"});
  EXPECT_EQ(show.status, 0) << show.err;
  for (const char* part : {"argument<std::int8_t>", "filled<tilewright::Float16>",
                           "argument<tilewright::BFloat16>", "using BFloat16 ="})
    EXPECT_NE(show.out.find(part), std::string::npos) << part;
}

constexpr const char* kAxpyManifest = R"TOML(
schema = 1
[operation]
name = "axpy"
bytes = "3 * count * size_of(x)"
[[operation.dimension]]
name = "count"
default = 1001
[[operation.choice]]
name = "type"
values = ["float32", "float16", "bfloat16"]
default = "float32"
absent = "float32"
[[operation.argument]]
name = "x"
type = "type"
count = "count"
[[operation.argument]]
name = "y"
type = "type"
role = "inout"
count = "count"
[operation.reference]
source = "axpy.cu"
[[operation.reference.launch]]
entry = "axpy<{type}>"
grid = ["ceil_div(count, 64)"]
block = [64]
arguments = ["x", "y", "count"]
[[implementation]]
name = "plain"
source = "axpy.cu"
compiled_in = ["type"]
[[implementation.parameter]]
name = "BLOCK"
values = [32, 128]
default = 32
[[implementation.launch]]
entry = "axpy<{type}>"
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = ["x", "y", "count"]
)TOML";

constexpr const char* kAxpyKernel = R"CUDA(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class T>
__global__ void axpy(const T* x, T* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = T(0.5f) * x[i] + y[i];
}
)CUDA";

TEST(NarrowTypes, MayBeAChoiceAndHaveCudasNames) {
  const TemporaryFolder home;
  write_text(home / "axpy.toml", kAxpyManifest);
  write_text(home / "axpy.cu", kAxpyKernel);
  const std::string manifest = (home / "axpy.toml").string();
  for (const std::string type : {"float32", "float16", "bfloat16"}) {
    const Finished sweep = run_tilewright(
        home.path(), {"sweep", manifest, "type=" + type, "--device", "host", "--budget", "all"});
    ASSERT_EQ(sweep.status, 0) << sweep.err << sweep.out;
    EXPECT_NE(sweep.out.find("all 2 tried"), std::string::npos) << sweep.out;
  }
  const Finished best = run_tilewright(
      home.path(), {"best", manifest, "type=float16", "--format", "defines", "--device", "host"});
  EXPECT_EQ(best.status, 0) << best.err;
  EXPECT_NE(best.out.find("-DTYPE=__half"), std::string::npos) << best.out;
  EXPECT_NE(best.out.find("-DPROBLEM_TYPE=1"), std::string::npos) << best.out;
}

TEST(NarrowTypes, AnUnknownOneIsNamedWithThoseThatThereAre) {
  const TemporaryFolder home;
  std::string manifest = kSmoothManifest;
  manifest.replace(manifest.find("float16"), 7, "half");
  write_text(home / "smooth.toml", manifest);
  write_text(home / "bits.cu", kSmoothKernel);
  const Finished plan =
      run_tilewright(home.path(), {"plan", (home / "smooth.toml").string(), "--arch", "sm_90"});
  EXPECT_EQ(plan.status, 2);
  EXPECT_NE(plan.err.find("half"), std::string::npos) << plan.err;
  EXPECT_NE(plan.err.find("bfloat16"), std::string::npos) << plan.err;
}

}  // namespace
}  // namespace tilewright::test
