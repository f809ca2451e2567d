#include "tuner/cuda/compile/nvcc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/folder_of_files.hpp"
#include "tests/unit/tuner/cuda/small_elf.hpp"
#include "tilewright/error.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog =
    "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z1kPf\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 12 registers, 64 bytes smem\n";

// A script in place of nvcc. It keeps its arguments and the source in `kept`.
class FakeNvcc : public ::testing::Test {
 protected:
  Nvcc nvcc(const std::string& body) {
    const fs::path program = folder_.write("bin/nvcc", "#!/bin/sh\n" + body);
    fs::permissions(program, fs::perms::owner_all);
    return Nvcc({program.parent_path()}, folder_.path());
  }
  CompileRequest request() const {
    CompileRequest request;
    request.source = "#include <vector>\n#include \"sub/mine.cuh\"\n__global__ void k(float*) {}\n";
    request.source_name = "mine.cu";
    request.headers = {{"sub/mine.cuh", "// mine\n"}, {"../outside.cuh", "// never written\n"}};
    request.options = {"-DBLOCK=64"};
    request.architecture = "sm_90";
    request.entries = {"k"};
    request.compiler = "nvcc";
    return request;
  }
  std::string log_script() const { return std::string("cat <<'END'\n") + kLog + "END\n"; }

  FolderOfFiles folder_;
};

TEST_F(FakeNvcc, ConstantsAreFoundByTheirNames) {
  const std::string of_unit = "_ZN21_INTERNAL_1d_2_m_cu_95image5gainsE";
  const Bytes cubin = make_elf(symbol_parts({"d_filter", of_unit}, STT_OBJECT), 90);
  const fs::path made = folder_.write("made", std::string(cubin.begin(), cubin.end()));
  CompileRequest asks = request();
  asks.constants = {"d_filter", "image::gains"};
  const Nvcc compiler = nvcc(log_script() + "cp " + made.string() + " kernel.cubin\n");
  const CompileResult result = compiler.compile(asks);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.at("&d_filter").symbol, "d_filter");
  EXPECT_EQ(result.entries.at("&image::gains").symbol, of_unit);
  asks.constants = {"d_filter", "offsets"};
  const CompileResult missing = compiler.compile(asks);
  EXPECT_EQ(missing.outcome, Outcome::compile_failed);
  EXPECT_NE(missing.log.find("has no variable 'offsets'"), std::string::npos) << missing.log;
}

TEST_F(FakeNvcc, GetsTheSourceItsHeadersAndOptions) {
  const fs::path kept = folder_.path() / "kept";
  const CompileResult result =
      nvcc("echo \"$@\" > " + kept.string() + "\ncat tilewright_main.cu sub/mine.cuh >> " +
           kept.string() + "\n" + log_script() + "echo code > kernel.cubin\n")
          .compile(request());
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(std::string(result.code.begin(), result.code.end()), "code\n");
  EXPECT_EQ(result.entries.at("k").symbol, "_Z1kPf");
  EXPECT_EQ(result.entries.at("k").resources.registers, 12);
  EXPECT_GT(result.milliseconds, 0);
  std::ifstream stream(kept);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (const char* part : {"-cubin -arch=sm_90", "-std=c++17", "-DBLOCK=64", "#line 1 \"mine.cu\"",
                           "#include <vector>", "// mine"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  EXPECT_FALSE(fs::exists(folder_.path() / "outside.cuh"));
}

TEST_F(FakeNvcc, FailuresAreOutcomesWithTheLog) {
  const CompileResult result =
      nvcc("echo 'mine.cu(3): error: expected a \";\"' >&2\nexit 2\n").compile(request());
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_NE(result.log.find("mine.cu(3): error: expected"), std::string::npos) << result.log;
  EXPECT_TRUE(result.code.empty());
  const CompileResult large =
      nvcc(
          "echo 'ptxas error   : Entry function '\"'_Z1kPf'\"' uses too much shared data (0x10000 "
          "bytes, 0xc000 max)' >&2\nexit 255\n")
          .compile(request());
  EXPECT_EQ(large.outcome, Outcome::compile_failed);
  EXPECT_TRUE(large.log.starts_with("error: ")) << large.log;
}

TEST_F(FakeNvcc, OfACrashNothingIsCached) {
  const CompileResult crashed = nvcc("kill -11 $$\n").compile(request());
  EXPECT_EQ(crashed.outcome, Outcome::compile_failed);
  EXPECT_TRUE(crashed.log.starts_with("nvcc crashed twice: signal 11")) << crashed.log;
  EXPECT_EQ(crashed.milliseconds, 0) << "so that it is not cached";
  const CompileResult killed = nvcc("kill -9 $$\n").compile(request());
  EXPECT_EQ(killed.outcome, Outcome::compile_timed_out);
  EXPECT_EQ(killed.milliseconds, 0);
  EXPECT_GT(nvcc("echo 'mine.cu(3): error: no' >&2\nexit 2\n").compile(request()).milliseconds, 0);
}

TEST_F(FakeNvcc, CodeThatCannotBeReadIsAFaultOfTheMachine) {
  try {
    nvcc(log_script() + "mkdir kernel.cubin\n").compile(request());
    ADD_FAILURE();
  } catch (const MachineError& error) {
    EXPECT_TRUE(std::string(error.what()).ends_with("kernel.cubin cannot be read: Is a directory"))
        << error.what();
  }
}

TEST_F(FakeNvcc, AnyNameOfASourceIsALiteral) {
  CompileRequest named = request();
  named.source_name = "my \"own\" \\kernel.cu";
  const fs::path kept = folder_.path() / "kept";
  const CompileResult result = nvcc("head -1 tilewright_main.cu > " + kept.string() + "\n" +
                                    log_script() + "echo code > kernel.cubin\n")
                                   .compile(named);
  ASSERT_TRUE(result.ok()) << result.log;
  std::ifstream stream(kept);
  std::string line;
  std::getline(stream, line);
  EXPECT_EQ(line, R"(#line 1 "my \042own\042 \134kernel.cu")");
}

TEST_F(FakeNvcc, AKernelThatIsNotThereIsNamed) {
  CompileRequest other = request();
  other.entries = {"other"};
  const CompileResult result = nvcc(log_script() + "echo code > kernel.cubin\n").compile(other);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.entries.empty());
  EXPECT_NE(result.log.find("other"), std::string::npos) << result.log;
}

TEST_F(FakeNvcc, ItsIdentityFollowsTheFile) {
  const std::string first = nvcc("exit 0\n").identity();
  EXPECT_NE(first.find("bin/nvcc"), std::string::npos);
  EXPECT_NE(nvcc("exit 0 # another\n").identity(), first);
}

TEST_F(FakeNvcc, WithoutItTheOutcomeNamesWhatIsMissing) {
  const Nvcc none({folder_.path() / "nowhere"}, folder_.path());
  EXPECT_EQ(none.identity(), "no nvcc");
  for (const CompileResult& result : {none.compile(request()), none.compile_to_ptx(request())}) {
    EXPECT_EQ(result.outcome, Outcome::unsupported);
    EXPECT_NE(result.log.find("there is no nvcc: install a CUDA toolkit"), std::string::npos);
    EXPECT_NE(result.log.find("nowhere"), std::string::npos) << result.log;
    EXPECT_EQ(result.milliseconds, 0);  // so that nothing is cached
  }
}

TEST(PlacesOfNvcc, AreBesideTheLibraries) {
  const auto places = places_of_nvcc(
      {.host_compiler = {},
       .toolkit_folders = {"/opt/cuda/lib64", "/opt/cuda/targets/x86_64-linux/lib", "/other/lib"},
       .scratch = {},
       .nvcc = "/wrappers/nvcc"});
  ASSERT_GE(places.size(), 3U);
  EXPECT_EQ(places[0], "/opt/cuda/bin");
  EXPECT_EQ(places[1], "/other/bin");
  EXPECT_EQ(places[2], "/wrappers");
  EXPECT_NE(std::ranges::find(places, fs::path("/usr/local/cuda/bin")), places.end());
}

TEST(SymbolsOfExpression, AreFoundByNameThenByArguments) {
  const std::map<std::string, Resources> one = {{"_Z1kILi4EEvPf", {}}, {"_Z5otherPf", {}}};
  EXPECT_EQ(symbols_of_expression("k<4>", one), std::vector<std::string>{"_Z1kILi4EEvPf"});
  EXPECT_EQ(symbols_of_expression("k<2 + 2>", one), std::vector<std::string>{"_Z1kILi4EEvPf"});
  EXPECT_TRUE(symbols_of_expression("other<4>", {}).empty());
  const std::map<std::string, Resources> two = {{"_Z1kILi4EEvPf", {}}, {"_Z1kILi8EEvPf", {}}};
  EXPECT_EQ(symbols_of_expression("k< 8 >", two), std::vector<std::string>{"_Z1kILi8EEvPf"});
  EXPECT_EQ(symbols_of_expression("k<4 + 4>", two).size(), 2U);  // not certain
  const std::map<std::string, Resources> inside = {{"_ZN4mine1kEPf", {}}};
  EXPECT_EQ(symbols_of_expression("mine::k", inside), std::vector<std::string>{"_ZN4mine1kEPf"});
}

// With the nvcc of this machine, if it has one.
TEST(RealNvcc, CompilesWhatNvrtcCannot) {
  const Nvcc nvcc(places_of_nvcc(Toolchain{}), fs::temp_directory_path());
  if (nvcc.identity() == "no nvcc") GTEST_SKIP() << "no nvcc";
  CompileRequest request;
  request.source =
      "#include <vector>\n#include <algorithm>\n"
      "template <int N> __global__ void k(float* x) { x[threadIdx.x] = N; }\n"
      "namespace mine { __global__ void plain(float* x) { *x = BLOCK; } }\n"
      "inline int host() { std::vector<int> v{3, 1}; std::sort(v.begin(), v.end()); return v[0]; "
      "}\n";
  request.source_name = "mine.cu";
  request.options = {"-DBLOCK=64"};
  request.architecture = "sm_90";
  request.entries = {"k<4>", "k<8>", "mine::plain"};
  const CompileResult result = nvcc.compile(request);
  ASSERT_TRUE(result.ok()) << result.log;
  EXPECT_EQ(result.entries.size(), 3U) << result.log;
  EXPECT_GT(result.entries.at("k<4>").resources.registers, 0);
  EXPECT_FALSE(result.code_hash.empty());
  const CompileResult again = nvcc.compile(request);
  EXPECT_EQ(again.code_hash, result.code_hash);
  const CompileResult ptx = nvcc.compile_to_ptx(request);
  EXPECT_NE(std::string(ptx.code.begin(), ptx.code.end()).find(".visible .entry"),
            std::string::npos);
  request.source = "#include <no_such_header>\n";
  EXPECT_EQ(nvcc.compile(request).outcome, Outcome::compile_failed);
}

}  // namespace
}  // namespace tilewright::cuda
