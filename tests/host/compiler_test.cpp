#include "tuner/host/compile/compiler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/compile/adapt.hpp"

namespace tilewright::test {
namespace {

host::HostCompiler& compiler() {
  static host::HostCompiler compiler = new_host_compiler();
  return compiler;
}

TEST(HostCompiler, EqualRequestsGiveEqualCode) {
  const CompileRequest request = request_for(doubling_source(), {"run"});
  const CompileResult first = compiler().compile(request);
  const CompileResult second = new_host_compiler().compile(request);
  ASSERT_TRUE(first.ok()) << first.log;
  EXPECT_EQ(first.code_hash, second.code_hash);
  EXPECT_EQ(first.code, second.code);
  EXPECT_GT(first.milliseconds, 0);
  EXPECT_EQ(first.entries.at("run").resources.registers, -1);
}

TEST(HostCompiler, AMacroThatChangesNothingGivesEqualCode) {
  CompileRequest request = request_for(doubling_source(), {"run"});
  const CompileResult without = compiler().compile(request);
  request.options = {"-DUNUSED=3"};
  EXPECT_EQ(compiler().compile(request).code_hash, without.code_hash);
}

TEST(HostCompiler, MacrosDoNotReachTheShim) {
  CompileRequest request = request_for(doubling_source("y[0] *= T - 2;"), {"run"});
  request.options = {"-DT=3", "-DArguments=5", "-Dx_=1", "-Dname"};
  EXPECT_TRUE(compiler().compile(request).ok());
}

TEST(HostCompiler, AMistakeIsAValueWithItsLine) {
  const CompileResult result = compiler().compile(request_for("\n\nint mistake = \"text\";\n", {}));
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_NE(result.log.find("test.cu:3"), std::string::npos) << result.log;
  EXPECT_TRUE(result.code.empty());
}

TEST(HostCompiler, AKernelThatIsNotThereIsAFailedCompile) {
  EXPECT_EQ(compiler().compile(request_for(doubling_source(), {"walk"})).outcome,
            Outcome::compile_failed);
}

TEST(HostCompiler, FindsKernelsWithoutExternC) {
  const CompileResult result =
      compiler().compile(request_for("__global__ void run(float* x) { *x = 1; }\n"
                                     "namespace { __global__ void hidden(float* x) { *x = 4; } }\n",
                                     {"run", "hidden"}));
  EXPECT_TRUE(result.ok()) << result.log;
}

TEST(HostCompiler, ListsOverloadsOfAnEntry) {
  const CompileResult result = compiler().compile(
      request_for("__global__ void\n__launch_bounds__(32)  run(float* x,\n  int n) { *x = 1; }\n"
                  "__global__ void run_other() {}\n__global__ void run (int* x) { *x = 2; }\n",
                  {"run"}));
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_TRUE(
      result.log.starts_with("note: no kernel is the only one with the name 'run': there "
                             "are run (int* x) and run(float* x, int n); give each kernel "
                             "a name of its own\n"))
      << result.log;
}

TEST(HostCompiler, WhatOnlyAGpuHasIsUnsupportedByName) {
  const auto expect = [](const std::string& line, const std::string& name) {
    const CompileResult result = compiler().compile(request_for(doubling_source(line), {"run"}));
    EXPECT_EQ(result.outcome, Outcome::unsupported) << line;
    EXPECT_EQ(result.log.substr(0, result.log.find('\n')), "the host device has no " + name);
  };
  expect("y[0] = __nanosleep(1);", "__nanosleep");
  expect("asm volatile(\"cp.async.wait_all;\" ::: \"memory\");", "PTX");
  const CompileResult header =
      compiler().compile(request_for("#include <mma.h>\n" + doubling_source(), {"run"}));
  EXPECT_EQ(header.outcome, Outcome::unsupported) << header.log;
  EXPECT_NE(header.log.find("no header mma.h"), std::string::npos) << header.log;
}

// Each also by itself, and by a name in quotes, as with nvcc.
TEST(HostCompiler, HasTheHeadersThatKernelsInclude) {
  for (const char* header :
       {"stdint.h", "cstdint",     "inttypes.h", "stddef.h",       "cstddef",
        "float.h",  "cfloat",      "limits.h",   "climits",        "math.h",
        "cmath",    "assert.h",    "cassert",    "stdio.h",        "stdlib.h",
        "string.h", "type_traits", "limits",     "cuda_runtime.h", "device_launch_parameters.h"})
    for (const char* form : {"#include <{}>\n", "#include \"{}\"\n"}) {
      const std::string include = fmt::format(fmt::runtime(form), header);
      const CompileResult result =
          compiler().compile(request_for(include + doubling_source(), {"run"}));
      EXPECT_TRUE(result.ok()) << include << result.log;
    }
}

TEST(HostCompiler, AConditionDecidesWhichHeadersOfCppMustBeThere) {
  const std::string some =
      "#include <type_traits>\n#ifdef NEVER\n#include <absent>\n#elif BLOCK > 32\n"
      "#include <utility>\nusing std::pair;\n#endif\n";
  CompileRequest request = request_for(some + doubling_source("pair<int, int> p;"), {"run"});
  request.options = {"-DBLOCK=64"};
  const CompileResult result = compiler().compile(request);
  EXPECT_TRUE(result.ok()) << result.log;
  request.options = {"-DNEVER"};
  const CompileResult missing = compiler().compile(request);
  EXPECT_EQ(missing.outcome, Outcome::unsupported);
  EXPECT_NE(missing.log.find("no header absent"), std::string::npos) << missing.log;
}

TEST(HostCompiler, KnowsNamesOfTheCLibraryWithoutAHeader) {
  EXPECT_TRUE(
      compiler()
          .compile(request_for(doubling_source("y[0] = INFINITY + FLT_MAX + M_PI + UINT32_MAX; "
                                               "uint64_t n = sizeof(size_t); y[1] = n;"),
                               {"run"}))
          .ok());
  const CompileResult own =
      compiler().compile(request_for("typedef unsigned long uint64_t;\n#define FLT_MAX 1.0f\n" +
                                         doubling_source("uint64_t n = 1; y[0] = n + FLT_MAX;"),
                                     {"run"}));
  EXPECT_TRUE(own.ok()) << own.log;
}

TEST(HostCompiler, AMisspeltNameIsAMistakeThoughTheCompilerKnowsABetterOne) {
  const CompileResult result =
      compiler().compile(request_for(doubling_source("threadfence();"), {"run"}));
  EXPECT_EQ(result.outcome, Outcome::compile_failed) << result.log;
}

TEST(HostCompiler, FindsHeadersByTheirNamesAsWritten) {
  CompileRequest request =
      request_for("#include \"../up/two.cuh\"\n" + doubling_source("y[0] *= kOne;"), {"run"});
  request.headers["../up/two.cuh"] = "#pragma once\n  #  include \"one.cuh\"\n";
  request.headers["one.cuh"] = "#pragma once\n#define kOne 1.0f\n";
  const CompileResult result = compiler().compile(request);
  EXPECT_TRUE(result.ok()) << result.log;
}

TEST(HostCompiler, HasTheBuiltInsThatTheManualLists) {
  const CompileResult result = compiler().compile(request_for(R"(
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter;
struct __align__(16) Four { float v[4]; };
__device__ __forceinline__ float all(const float* p) {
  float4 f = make_float4(1, 2, 3, 4);
  atomicAdd(&counter, 1);
  atomicMax(&counter, 2);
  atomicCAS(&counter, 1, 2);
  __threadfence();
  return fmaf(__ldg(p), min(1, 2), max(1.0f, f.w)) + sqrtf(table[1]) + __expf(0.0f) +
         __popc(3u) + rsqrtf(4.0f) + warpSize;
}
template <int N>
__global__ void __launch_bounds__(N) filled(float* out) {
  __shared__ alignas(16) float s[N];
  s[threadIdx.x] = all(out);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; ++i) out[i] = s[i] + blockIdx.x + gridDim.y + blockDim.z;
})",
                                                              {"filled<32>"}));
  EXPECT_TRUE(result.ok()) << result.log;
}

TEST(HostCompiler, WithoutACompilerOneSentenceSaysSo) {
  try {
    host::HostCompiler("", std::filesystem::temp_directory_path());
    FAIL() << "there was a compiler";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("install g++"), std::string::npos) << error.what();
  }
  EXPECT_THROW(host::HostCompiler("/nowhere/c++", std::filesystem::temp_directory_path()),
               MachineError);
}

TEST(HostCompiler, ItsVersionNamesTheFlags) {
  EXPECT_NE(compiler().version().find(" -O"), std::string::npos) << compiler().version();
}

TEST(AdaptSources, DeclareDynamicSharedMemoryWithoutMovingLines) {
  CompileRequest request;
  request.source = "a\n#include <cuda_runtime.h>\nextern __shared__ __align__(16) float s[];\nb\n";
  const std::string all = host::adapt_sources(request).at(host::kMainFile);
  const std::string text = all.substr(all.find("#line 1"));
  EXPECT_NE(text.find("\nb\n"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("\nb\n")),
                       '\n'),
            3)
      << text;
  EXPECT_EQ(text.find("extern __shared__"), std::string::npos) << text;
  EXPECT_EQ(text.find("cuda_runtime"), std::string::npos) << text;
  EXPECT_NE(text.find("float* const& s ="), std::string::npos) << text;
}

}  // namespace
}  // namespace tilewright::test
