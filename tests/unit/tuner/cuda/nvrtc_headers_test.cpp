#include "tests/unit/tuner/cuda/nvrtc_fixture.hpp"

namespace tilewright::cuda {
namespace {

TEST_F(NvrtcTest, HasTheHeadersThatKernelsInclude) {
  for (const char* header : {"stdint.h",       "cstdint",
                             "inttypes.h",     "stddef.h",
                             "cstddef",        "float.h",
                             "cfloat",         "limits.h",
                             "climits",        "math.h",
                             "cmath",          "assert.h",
                             "cassert",        "stdio.h",
                             "cstdio",         "stdlib.h",
                             "cstdlib",        "string.h",
                             "cstring",        "cuda.h",
                             "cuda_runtime.h", "device_launch_parameters.h"}) {
    const CompileResult result = compile(request_of(
        "#include <" + std::string(header) + ">\n__global__ void run(float* y) { *y = 1; }\n",
        {"run"}));
    EXPECT_TRUE(result.ok()) << header << ": " << result.log;
  }
}

TEST_F(NvrtcTest, KnowsNamesOfTheCLibrary) {
  const CompileResult with =
      compile(request_of("#include <cmath>\n#include <cstdint>\n__global__ void run(float* y) "
                         "{ std::uint32_t n = 3; *y = std::sqrt(y[n]) + std::isnan(y[1]); }\n",
                         {"run"}));
  EXPECT_TRUE(with.ok()) << with.log;
  const CompileResult without = compile(request_of(
      "__global__ void run(float* y) { uint64_t n = INT_MAX; *y = n + INFINITY + FLT_MAX "
      "+ M_PI + NAN; }\n",
      {"run"}));
  EXPECT_TRUE(without.ok()) << without.log;
}

TEST_F(NvrtcTest, HeadersMayStandInQuotes) {
  const CompileResult result = compile(
      request_of("#include \"stdint.h\"\n#include \"cuda_fp16.h\"\n__global__ void run(__half* y) "
                 "{ uint8_t n = 1; *y = __float2half(n); }\n",
                 {"run"}));
  EXPECT_TRUE(result.ok()) << result.log;
}

TEST_F(NvrtcTest, WhatIsMissingIsNamedWithTheWayOut) {
  const CompileResult header =
      compile(request_of("#include <vector>\n__global__ void run() {}\n", {"run"}));
  EXPECT_NE(header.log.find("header vector was not found"), std::string::npos) << header.log;
  CompileRequest request = request_of("__global__ void run() {}\n", {"run"});
  request.options = {"--no-such-option"};
  EXPECT_NE(compile(request).log.find("compiler = \"nvcc\""), std::string::npos);
}

}  // namespace
}  // namespace tilewright::cuda
