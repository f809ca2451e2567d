#include "tests/unit/tuner/cuda/nvrtc_fixture.hpp"

#include <algorithm>

#include "tilewright/error.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/cuda/compile/architectures.hpp"
#include "tuner/cuda/compile/cubin.hpp"
#include "tuner/cuda/session/session.hpp"
#include "tuner/space/limits.hpp"

namespace tilewright::cuda {
namespace {

TEST_F(NvrtcTest, CompilesAndReportsResources) {
  const CompileResult result = compile_scale({"-DWIDTH=64"});
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_FALSE(result.code.empty());
  EXPECT_EQ(result.code_hash.size(), 32U);
  EXPECT_GT(result.milliseconds, 0);
  ASSERT_EQ(result.entries.count("scale"), 1U);
  const CompiledEntry& entry = result.entries.at("scale");
  EXPECT_EQ(entry.symbol, "scale");
  EXPECT_EQ(entry.resources.shared_bytes, 256);
  EXPECT_GT(entry.resources.registers, 0);
  EXPECT_EQ(entry.resources.spill_bytes, 0);
}

TEST_F(NvrtcTest, LogDoesNotVary) {
  const CompileResult first = compile_scale({"-DWIDTH=64"});
  const CompileResult second = compile_scale({"-DWIDTH=64"});
  EXPECT_EQ(first.log, second.log);
  EXPECT_EQ(first.code, second.code);
}

TEST_F(NvrtcTest, HashIsOfTheCodeAndNotOfTheMacros) {
  const std::string base = compile_scale({"-DWIDTH=64"}).code_hash;
  EXPECT_EQ(compile_scale({"-DWIDTH=64", "-DUNUSED=1"}).code_hash, base);
  EXPECT_EQ(compile_scale({"-DWIDTH=64", "-DUNUSED=2"}).code_hash, base);
  EXPECT_NE(compile_scale({"-DWIDTH=32"}).code_hash, base);
  CompileRequest renamed = request_of(kSource, {"scale"});
  renamed.source += "// a comment\n";
  renamed.source_name = "other.cu";
  renamed.options = {"-DWIDTH=64"};
  EXPECT_EQ(compile(renamed).code_hash, base);
}

TEST_F(NvrtcTest, HashIsOfTheCodeAndNotOfTheAssemblersOptions) {
  const CompileResult base = compile_scale({"-DWIDTH=64"});
  const CompileResult same = compile_scale({"-DWIDTH=64", "--ptxas-options=-O3"});
  ASSERT_TRUE(same.ok()) << same.log;
  EXPECT_EQ(same.code_hash, base.code_hash);
}

TEST_F(NvrtcTest, LowersNameExpressions) {
  const CompileRequest request = request_of(
      "namespace n { template <int W> __global__ void fill(float* x) { x[threadIdx.x] = W; } }\n"
      "extern \"C\" __global__ void plain(float* x) { x[threadIdx.x] = 0; }\n",
      {"n::fill<4>", "n::fill<8>", "plain"});
  const CompileResult result = compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.size(), 3U);
  EXPECT_EQ(result.entries.at("n::fill<8>").symbol, "_ZN1n4fillILi8EEEvPf");
  EXPECT_GT(result.entries.at("n::fill<4>").resources.registers, 0);
  EXPECT_EQ(result.entries.at("plain").symbol, "plain");
}

TEST_F(NvrtcTest, TakesHeadersFromMemory) {
  CompileRequest request = request_of(
      "#include \"common/width.cuh\"\n"
      "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = kWidth; }\n",
      {"k"});
  EXPECT_EQ(compile(request).outcome, Outcome::compile_failed);
  request.headers = {{"common/width.cuh", "constexpr int kWidth = 3;\n"}};
  const CompileResult result = compile(request);
  EXPECT_TRUE(result.ok()) << result.log;
}

TEST_F(NvrtcTest, AFailedCompileIsAValueWithTheLog) {
  const CompileResult result =
      compile(request_of("extern \"C\" __global__ void k() { x = 1; }\n", {"k"}));
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_NE(result.log.find("test.cu(1): error: identifier \"x\" is undefined"), std::string::npos)
      << result.log;
  EXPECT_TRUE(result.code.empty());
  EXPECT_TRUE(result.code_hash.empty());
}

TEST_F(NvrtcTest, BadOptionsAndNamesAreFailedCompiles) {
  EXPECT_EQ(compile_scale({"-DWIDTH=64", "--no-such-option"}).outcome, Outcome::compile_failed);
  CompileRequest unknown = request_of("template <int W> __global__ void f() {}", {"g<1>"});
  const CompileResult result = compile(unknown);
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_FALSE(result.log.empty());
  unknown.architecture = "sm_12345";
  EXPECT_EQ(compile(unknown).outcome, Outcome::compile_failed);
}

TEST_F(NvrtcTest, NotesAnEntryThatIsNotThere) {
  const CompileResult result =
      compile(request_of("__global__ void k(float* x) { x[0] = 1; }\n"
                         "extern \"C\" __global__ void other(float* x) { x[0] = 2; }\n",
                         {"missing"}));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.entries.empty());
  EXPECT_NE(result.log.find("no kernel has the name 'missing'; there is k(float*), other\n"),
            std::string::npos)
      << result.log;
}

TEST_F(NvrtcTest, FindsKernelsWithoutExternC) {
  const CompileResult result = compile(
      request_of("namespace n { struct T { float x; }; __global__ void k(int* x) { *x = 0; } }\n"
                 "__global__ void k(float* x, n::T t) { *x = t.x; }\n"
                 "__global__ void kk(float* x) { *x = 2; }\n"
                 "static __global__ void local(float* x) { *x = 3; }\n"
                 "namespace { __global__ void hidden(float* x) { *x = 4; } }\n"
                 "extern \"C\" __global__ void plain(float* x) { *x = 5; }\n"
                 "__global__ void plain(int* x) { *x = 6; }\n",
                 {"k", "n::k", "kk", "local", "hidden", "plain"}));
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.size(), 6U) << result.log;
  EXPECT_EQ(result.entries.at("k").symbol, "_Z1kPfN1n1TE");
  EXPECT_EQ(result.entries.at("n::k").symbol, "_ZN1n1kEPi");
  EXPECT_NE(result.entries.at("hidden").symbol.find("hidden"), std::string::npos);
  EXPECT_GT(result.entries.at("local").resources.registers, 0);
  EXPECT_EQ(result.entries.at("plain").symbol, "plain");
}

TEST_F(NvrtcTest, ListsOverloadsOfAnEntry) {
  const CompileResult result = compile(request_of(
      "__global__ void k(float* x) { *x = 1; }\n__global__ void k(int* x) { *x = 2; }\n", {"k"}));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.entries.empty());
  EXPECT_NE(result.log.find("no kernel is the only one with the name 'k': there are k(float*) and "
                            "k(int*); give each kernel a name of its own\n"),
            std::string::npos)
      << result.log;
}

TEST_F(NvrtcTest, FindsHeadersOfCudaAndCccl) {
  if (nvrtc_->headers().empty()) GTEST_SKIP() << "CUDA's headers are not beside NVRTC";
  const CompileRequest request = request_of(
      "#include <cuda_fp16.h>\n#include <cuda/std/array>\n#include <cub/block/block_reduce.cuh>\n"
      "__global__ void sum(const __half* x, float* y) {\n"
      "  using Reduce = cub::BlockReduce<float, 128>;\n"
      "  __shared__ typename Reduce::TempStorage storage;\n"
      "  const cuda::std::array<float, 1> mine = {__half2float(x[threadIdx.x])};\n"
      "  const float all = Reduce(storage).Sum(mine[0]);\n"
      "  if (threadIdx.x == 0) *y = all;\n"
      "}\n",
      {"sum"});
  const CompileResult result = compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.size(), 1U);
}

TEST_F(NvrtcTest, NamesAHeaderThatIsMissing) {
  const CompileResult result = compile(request_of("#include <no/such/header.h>\n", {}));
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_TRUE(result.log.starts_with("error: the header no/such/header.h was not found"))
      << result.log;
}

TEST_F(NvrtcTest, NamesTooMuchStaticSharedMemory) {
  const CompileResult result = compile_scale({"-DWIDTH=12289"});
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_TRUE(
      result.log.starts_with("error: kernel scale has 49156 bytes of static shared memory, "))
      << result.log;
  EXPECT_TRUE(compile_scale({"-DWIDTH=12288"}).ok());
}

TEST_F(NvrtcTest, AManifestMayChooseTheStandard) {
  CompileRequest request = request_of(
      "template <class T> concept anything = true;\n"
      "extern \"C\" __global__ void k(float* x) { x[0] = anything<int>; }\n",
      {"k"});
  EXPECT_EQ(compile(request).outcome, Outcome::compile_failed);
  request.options = {"-std=c++20"};
  const CompileResult result = compile(request);
  EXPECT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.log.find("warning"), std::string::npos) << result.log;
}

TEST_F(NvrtcTest, LimitsRegisters) {
  CompileRequest request = request_of(
      "extern \"C\" __global__ void k(float* x) {\n"
      "  float v[128];\n"
      "  for (int i = 0; i < 128; ++i) v[i] = x[i * 128 + threadIdx.x];\n"
      "  __syncthreads();\n"
      "  for (int i = 0; i < 128; ++i) x[threadIdx.x * 128 + i] = v[127 - i];\n"
      "}\n",
      {"k"});
  EXPECT_GT(compile(request).entries.at("k").resources.registers, 64);
  request.options = {"--maxrregcount=64"};
  const CompileResult result = compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_LE(result.entries.at("k").resources.registers, 64);
}

TEST_F(NvrtcTest, UnitsHaveTheirOwnMacrosAndRegisters) {
  const std::string source =
      "extern \"C\" __global__ void k(float* x) {\n"
      "  float v[COUNT];\n"
      "  for (int i = 0; i < COUNT; ++i) v[i] = x[i * COUNT + threadIdx.x];\n"
      "  __syncthreads();\n"
      "  for (int i = 0; i < COUNT; ++i) x[threadIdx.x * COUNT + i] = v[COUNT - 1 - i];\n"
      "}\n"
      "template <int> __global__ void f(float* x) { *x = COUNT; }\n";
  CompileRequest request = request_of(source, {"k"});
  request.options = {"-DCOUNT=128"};
  request.units = {request_of(source, {"f<1>"})};
  request.units[0].options = {"-DCOUNT=4", "--maxrregcount=32"};
  request.units[0].unit = "low";
  const CompileResult result = compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_GT(result.entries.at("k").resources.registers, 64);
  EXPECT_LE(result.entries.at("f<1>").resources.registers, 32);
  EXPECT_EQ(result.entries.at("k").symbol, "0:k");
  EXPECT_TRUE(result.entries.at("f<1>").symbol.starts_with("1:_Z1f")) << result.log;
  const std::vector<CodeBytes> units = units_of(result.code);
  ASSERT_EQ(units.size(), 2U);
  for (const CodeBytes unit : units)
    EXPECT_EQ(std::string(unit.begin(), unit.begin() + 4),
              "\x7F"
              "ELF");
  EXPECT_EQ(compile(request).code_hash, result.code_hash);

  const CompileResult ptx = nvrtc_->compile_to_ptx(request);
  const std::string text(ptx.code.begin(), ptx.code.end());
  EXPECT_NE(text.find("// unit low\n"), std::string::npos);

  request.units[0].options = {"-DCOUNT=wrong"};
  const CompileResult failed = compile(request);
  EXPECT_EQ(failed.outcome, Outcome::compile_failed);
  EXPECT_NE(failed.log.find("unit low:\n"), std::string::npos) << failed.log;
}

// The remark of ptxas that a manifest's [[implementation.remark]] rules out by.
TEST_F(NvrtcTest, RemarksAreInTheLog) {
  const std::string product =
      "    asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 \"\n"
      "                 \"{%0,%1,%2,%3}, %4, %4, 1, 1, 1, 0, 0;\"\n"
      "                 : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"l\"(a));\n";
  CompileRequest request = request_of(
      "extern \"C\" __global__ void k(float* out, unsigned long long a, int n) {\n"
      "  float d[4] = {};\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n" +
          product +
          "    d[0] += 1.0f;\n"  // before the product is there
          "    asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n"
          "    asm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");\n"
          "  }\n"
          "  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];\n"
          "}\n",
      {"k"});
  request.architecture = "sm_90a";
  const CompileResult result = compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  Implementation implementation;
  implementation.remarks = {{{"C7508"}, "setmaxnreg is ignored"},
                            {{"C7510", "C7511", "C7514"}, "wgmma is serialised"}};
  const auto found = remark_violation(implementation, result.log);
  ASSERT_TRUE(found) << result.log;
  EXPECT_EQ(found->rule, "wgmma is serialised");
  EXPECT_NE(found->message.find("wgmma.mma_async instructions are serialized"), std::string::npos)
      << found->message;
}

TEST_F(NvrtcTest, CompilesTheSessionsOwnKernels) {
  const CompileResult result = nvrtc_->compile(request_of(probe_source(), probe_entries()));
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.size(), probe_entries().size());
  for (const auto& [name, entry] : result.entries) EXPECT_EQ(entry.symbol, name);
}

TEST_F(NvrtcTest, CodeSaysWhatKernelsTake) {
  using Bytes = std::vector<std::int64_t>;
  CompileRequest request = request_of(
      "struct Three { short a[3]; };\nstruct Big { char a[20000]; };\n"
      "extern \"C\" __global__ void none() {}\n"
      "extern \"C\" __global__ void some(const float*, int, double, Three, char) {}\n"
      "template <int N> __global__ void big(Big big, float* out) { *out = big.a[N]; }\n",
      {"none", "some", "big<3>"});
  for (const int architecture : nvrtc_->architectures()) {
    request.architecture = "sm_" + std::to_string(architecture);
    const CompileResult code = compile(request);
    ASSERT_TRUE(code.ok()) << code.log;
    const auto sizes = [&](const char* entry) {
      return kernel_parameters(code.code, code.entries.at(entry).symbol);
    };
    EXPECT_EQ(sizes("none"), Bytes{}) << architecture;
    EXPECT_EQ(sizes("some"), (Bytes{8, 4, 8, 6, 1})) << architecture;
    EXPECT_EQ(sizes("big<3>"), (Sizes{20000, 8})) << architecture;
  }
}

TEST_F(NvrtcTest, ListsArchitecturesAscending) {
  const std::vector<int> known = nvrtc_->architectures();
  EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
  EXPECT_EQ(parse_architecture("sm_90", known), 90);
  EXPECT_EQ(nvrtc_->version().rfind("NVRTC 1", 0), 0U);
}

TEST(ParseArchitecture, AcceptsSuffixesWhereTheyExist) {
  const std::vector<int> known = {75, 80, 90, 100};
  EXPECT_EQ(parse_architecture("sm_75", known), 75);
  EXPECT_EQ(parse_architecture("sm_90a", known), 90);
  EXPECT_EQ(parse_architecture("sm_100f", known), 100);
}

TEST(ParseArchitecture, RefusesOthersByListingTheKnown) {
  const std::vector<int> known = {75, 80, 90, 100};
  for (const char* text : {"", "sm_", "sm_91", "90", "sm_90x", "sm_90aa", "sm_80a", "sm_90f",
                           "compute_90", "sm_-90", "sm_99999999999"}) {
    SCOPED_TRACE(text);
    try {
      parse_architecture(text, known);
      ADD_FAILURE() << "no exception";
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("sm_75, sm_80, sm_90, sm_100"), std::string::npos) << what;
      EXPECT_NE(what.find("suffix"), std::string::npos) << what;
    }
  }
}

// Also one that no kernel uses, and those that only this source sees.
TEST_F(NvrtcTest, FindsTheVariablesThatLaunchesFill) {
  CompileRequest request = request_of(
      "__constant__ float d_filter[9];\nextern \"C\" { __constant__ int c[2]; }\n"
      "namespace mine { static __constant__ float gains[3]; __constant__ float unused[3]; }\n"
      "static __device__ float table[4];\n"
      "__global__ void k(float* x) { *x = d_filter[1] + mine::gains[2] + c[1] + table[3]; }",
      {"k"});
  request.constants = {"d_filter", "c", "mine::gains", "mine::unused", "table"};
  const CompileResult result = compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.size(), 6U);
  EXPECT_EQ(result.entries.at("&d_filter").symbol, "d_filter");
  EXPECT_EQ(result.entries.at("&c").symbol, "c");
  const std::string code(result.code.begin(), result.code.end());
  for (const std::string& constant : request.constants) {
    const std::string& symbol = result.entries.at('&' + constant).symbol;
    EXPECT_NE(code.find(symbol + '\0'), std::string::npos) << symbol;
  }
}

// Without an include.
TEST_F(NvrtcTest, KernelsReadTextures) {
  const CompileResult result = compile(
      request_of("__global__ void k(float4* y, cudaTextureObject_t a, cudaTextureObject_t b,\n"
                 "                  cudaTextureObject_t c, cudaTextureObject_t d, float x) {\n"
                 "  *y = make_float4(tex1Dfetch<float2>(a, 3).y, tex1D<uchar4>(b, x).z,\n"
                 "                   tex2D<float>(c, x, x), tex3D<short>(d, x, x, x));\n}",
                 {"k"}));
  EXPECT_TRUE(result.ok()) << result.log;
}

TEST_F(NvrtcTest, NamesAVariableThatTheSourceDoesNotHave) {
  for (const std::string name : {"d_other", "mine::gains", "none::gains"}) {
    CompileRequest request = request_of(
        "namespace mine { __constant__ float x[1]; }\n__global__ void k(float* x) { *x = 1; }",
        {"k"});
    request.constants = {name};
    const CompileResult result = compile(request);
    EXPECT_EQ(result.outcome, Outcome::compile_failed);
    EXPECT_TRUE(result.log.starts_with("error: the source has no variable '" + name + "'"))
        << result.log;
  }
}

}  // namespace
}  // namespace tilewright::cuda
