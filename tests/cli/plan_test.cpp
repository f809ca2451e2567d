#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

class Plan : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
    give_own_cache(home_);
  }

  nlohmann::json plan(std::vector<std::string> words) const {
    words.insert(words.begin(), "plan");
    words.push_back("--json");
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return nlohmann::json::parse(finished.out);
  }

  // Plans an implementation with this source and a launch of `entry`.
  Finished plan_source(const std::string& source, const std::string& entry) const {
    write_text(home_ / "mine.cu", source);
    write_text(home_ / "mine.toml",
               "schema = 1\n[[implementation]]\nname = \"mine\"\noperation = \"gemm\"\n"
               "about = \"a test\"\nsource = \"mine.cu\"\n[[implementation.launch]]\n"
               "grid = [1]\nblock = [32]\narguments = [\"a\", \"b\", \"c\"]\nentry = \"" +
                   entry + "\"\n");
    return run_tilewright(home_.path(),
                          {"plan", home_ / "mine.toml", "--arch", "sm_90", "--compile", "1"});
  }

  TemporaryFolder home_;
};

TEST_F(Plan, CompilesAFewForAnArchitectureWithoutADevice) {
  const auto json = plan({"gemm/tiled", "M=N=K=256", "--arch", "sm_90", "--compile", "4"});
  EXPECT_EQ(json.at("architecture"), "sm_90");
  const auto& part = json.at("implementations").at(0);
  EXPECT_EQ(part.at("implementation"), "gemm/tiled");
  EXPECT_GT(part.at("legal"), 100);
  EXPECT_GT(part.at("combinations"), part.at("legal"));
  std::int64_t cut = 0;
  for (const auto& rule : part.at("cuts")) cut += rule.at("count").get<std::int64_t>();
  EXPECT_EQ(part.at("combinations"), part.at("legal").get<std::int64_t>() + cut);
  const auto& compile = part.at("compile");
  EXPECT_EQ(compile.at("chosen"), 4);
  EXPECT_EQ(compile.at("compiled"), 4);
  EXPECT_EQ(compile.at("from_cache"), 0);
  EXPECT_GT(compile.at("registers").at("minimum"), 8);
}

TEST_F(Plan, TakesTheSameChoiceFromTheCacheTheSecondTime) {
  const std::vector<std::string> words = {"gemm/naive", "--arch", "sm_80", "--compile",
                                          "3",          "--seed", "5"};
  plan(words);
  EXPECT_EQ(plan(words).at("implementations").at(0).at("compile").at("from_cache"), 3);
}

TEST_F(Plan, CompilesTheReferenceKernelToo) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const std::string file =
      write_copy_kernel(home_.path(), {{"source = \"copy.cu\"", "source = \"slow.cu\""}});
  write_text(home_ / "slow.cu", "__global__ void copy_slowly() { no_such_thing(); }\n");
  const std::vector<std::string> words = {"plan", file, "--arch", "sm_90"};
  EXPECT_EQ(run_tilewright(home_.path(), words).status, 0) << "nothing is compiled";
  std::vector<std::string> compiling = words;
  compiling.insert(compiling.end(), {"--compile", "1"});
  const Finished failed = run_tilewright(home_.path(), compiling);
  EXPECT_EQ(failed.status, 2);
  EXPECT_NE(failed.err.find("the reference kernel "), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("slow.cu does not compile:"), std::string::npos) << failed.err;
}

TEST_F(Plan, ComparesArgumentsWithTheCompiledCode) {
  const auto planned = [&](const Edits& edits) {
    const std::string file = write_copy_kernel(home_.path(), edits);
    return run_tilewright(home_.path(), {"plan", file, "--arch", "sm_90", "--compile", "1"});
  };
  const Finished right = planned({});
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  const std::string passed = "\narguments = [\"in\", \"out\", \"n\"]";
  const std::string block = "block = [\"BLOCK\"]";
  const Finished wide =
      planned({{block + passed,
                block + "\narguments = [\"in\", \"out\", { value = \"n\", type = \"int64\" }]"}});
  EXPECT_EQ(wide.status, 1);
  EXPECT_NE(wide.out.find("copy: argument 3 has 4 bytes; the launch gives 8"), std::string::npos)
      << wide.out;
  EXPECT_NE(wide.out.find("0 of 1 can run"), std::string::npos) << wide.out;
  const Finished few = planned({{block + passed, block + "\narguments = [\"in\", \"out\"]"}});
  EXPECT_NE(few.out.find("copy takes 3 arguments; the launch gives 2"), std::string::npos)
      << few.out;
  const Finished reference =
      planned({{"block = [1]" + passed, "block = [1]\narguments = [\"in\", \"out\"]"}});
  EXPECT_EQ(reference.status, 2);
  EXPECT_NE(reference.err.find("copy.cu: copy_slowly takes 3 arguments; the launch gives 2"),
            std::string::npos)
      << reference.err;
}

TEST_F(Plan, AcceptsArchitectureVariants) {
  EXPECT_EQ(plan({"gemm/naive", "--arch", "sm_90a", "--compile", "1"}).at("architecture"),
            "sm_90a");
}

TEST_F(Plan, RefusesAnUnknownArchitectureNamingThoseThereAre) {
  const Finished finished = run_tilewright(home_.path(), {"plan", "gemm", "--arch", "sm_42"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_NE(finished.err.find("sm_42"), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("sm_90"), std::string::npos) << finished.err;
}

TEST_F(Plan, NarrowsBySizesOfTheUser) {
  const auto all = plan({"gemm/naive", "--arch", "sm_90", "--compile", "0"});
  const auto narrow =
      plan({"gemm/naive", "--arch", "sm_90", "--compile", "0", "--where", "BLOCK_X == 32"});
  EXPECT_LT(narrow.at("implementations").at(0).at("legal"),
            all.at("implementations").at(0).at("legal"));
  EXPECT_FALSE(all.at("implementations").at(0).contains("compile"));
}

// `plan` and `sweep` say it in the same line.
TEST_F(Plan, LeavesOutWhatLacksANameOfTheRule) {
  const std::string line =
      "--where names UNROLL, which gemm/blocked, gemm/cublas, gemm/cublaslt, gemm/mma, gemm/naive, "
      "gemm/thin, "
      "gemm/wgmma do not have: they are left out\n";
  const Finished planned = run_tilewright(
      home_.path(), {"plan", "gemm", "--arch", "sm_90", "--json", "--where", "UNROLL == 4"});
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(planned.err, line);
  const auto implementations = nlohmann::json::parse(planned.out).at("implementations");
  ASSERT_EQ(implementations.size(), 1U);
  EXPECT_EQ(implementations[0].at("implementation"), "gemm/tiled");
  const Finished swept = run_tilewright(
      home_.path(),
      {"sweep", "gemm", "--device", "host", "--policy", "cold", "--where", "UNROLL == 4"});
  EXPECT_TRUE(swept.err.starts_with(line)) << swept.err;
}

TEST_F(Plan, ShowsTheFormulaOfEachConstraint) {
  const std::vector<std::string> words = {"plan", "gemm/tiled", "M=N=K=64", "--arch", "sm_90"};
  const Finished brief = run_tilewright(home_.path(), words);
  for (const char* text :
       {"  COARSEN_X is a multiple of VECTOR\n", "requires COARSEN_X % VECTOR == 0\n",
        "an inactive parameter must have its default\n", " ...\n"})
    EXPECT_NE(brief.out.find(text), std::string::npos) << text << "\n" << brief.out;
  const Finished kernels = run_tilewright(home_.path(), {"kernels", "gemm/tiled", "--verbose"});
  EXPECT_NE(kernels.out.find("COARSEN_X % VECTOR == 0\n"), std::string::npos) << kernels.out;
}

TEST_F(Plan, SaysWhatRulesOutEverything) {
  const Finished finished = run_tilewright(
      home_.path(), {"plan", "gemm/naive", "--arch", "sm_90", "--where", "BLOCK_X > 1000"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("--where"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("0 legal"), std::string::npos) << finished.out;
}

TEST_F(Plan, FindsConfigurationsBelowAnOccupancyFloor) {
  const Finished finished = run_tilewright(
      home_.path(), {"plan", "gemm/naive", "--arch", "sm_90", "--where", "BLOCK_X * BLOCK_Y == 32",
                     "--occupancy-floor", "0.9", "--compile", "all"});
  EXPECT_EQ(finished.status, 1) << finished.out;
  EXPECT_NE(finished.out.find("occupancy"), std::string::npos) << finished.out;
}

TEST_F(Plan, RulesOutSpillsOverALimit) {
  const std::string where =
      "BLOCK_X == 16 && BLOCK_Y == 16 && COARSEN_X == 8 && COARSEN_Y == 8 && TILE_WIDTH == 16 && "
      "UNROLL == 4 && MIN_BLOCKS == 2 && VECTOR == 4 && DOUBLE_BUFFER == 1 && PADDING == 1";
  const std::vector<std::string> words = {"plan", "gemm/tiled", "--arch",    "sm_90", "--where",
                                          where,  "--json",     "--compile", "all"};
  const auto compile_of = [](const Finished& finished) {
    return nlohmann::json::parse(finished.out).at("implementations").at(0).at("compile");
  };
  const auto all = compile_of(run_tilewright(home_.path(), words));
  if (all.at("spilling") == 0) GTEST_SKIP() << "this compiler does not spill there";
  EXPECT_EQ(all.at("runnable"), 1);
  std::vector<std::string> limited = words;
  limited.insert(limited.end(), {"--max-spill", "0"});
  const Finished finished = run_tilewright(home_.path(), limited);
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(compile_of(finished).at("runnable"), 0);
  EXPECT_EQ(compile_of(finished).at("cuts").at(0).at("rule"), "spills");
}

// With EARLY, sums are touched before they are there, and the assembler serialises the products.
constexpr const char* kProduct = R"(
#define SUMS "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#if EARLY
#define READY
#else
#define READY SUMS
#endif
extern "C" __global__ void __launch_bounds__(128) product(float* y, unsigned long long a, int n) {
  float d[4] = {};
  for (int i = 0; i < n; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" : READY :: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, 1, "
                 "1, 1, 0, 0;" : SUMS : "l"(a));
#if EARLY
    d[0] += 1.0f;
#endif
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : READY :: "memory");
  }
  for (int i = 0; i < 4; ++i) y[threadIdx.x * 4 + i] = d[i];
}
)";

constexpr const char* kProductManifest = R"(schema = 1
[operation]
name = "product"
[[operation.dimension]]
name = "n"
default = 4
[[operation.argument]]
name = "y"
role = "output"
count = "512"
[[implementation]]
name = "wgmma"
source = "product.cu"
requires = "sm_90"
target = "specific"
[[implementation.parameter]]
name = "EARLY"
values = [0, 1]
default = 0
[[implementation.remark]]
codes = ["C7509", "C7510", "C7511", "C7514", "C7515", "C7520"]
why = "wgmma is serialised"
[[implementation.launch]]
entry = "product"
grid = [1]
block = [128]
arguments = ["y", { value = 0, type = "uint64" }, "n"]
)";

TEST_F(Plan, RulesOutByTheCompilersRemarks) {
  write_text(home_ / "product.cu", kProduct);
  write_text(home_ / "product.toml", kProductManifest);
  const auto json = plan({home_ / "product.toml", "--arch", "sm_90", "--compile", "all"});
  const auto& compile = json.at("implementations").at(0).at("compile");
  EXPECT_EQ(compile.at("compiled"), 2) << json;
  EXPECT_EQ(compile.at("runnable"), 1) << json;
  const auto& cut = compile.at("cuts").at(0);
  EXPECT_EQ(cut.at("rule"), "wgmma is serialised");
  EXPECT_EQ(cut.at("count"), 1);
  EXPECT_NE(cut.at("example").get<std::string>().find("EARLY=1: ptxas info"), std::string::npos)
      << cut;
}

TEST_F(Plan, SaysThatEveryCompileFailed) {
  const Finished finished = plan_source("no CUDA at all", "absent");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("every compile failed"), std::string::npos) << finished.err;
  EXPECT_EQ(finished.err.find("legal"), std::string::npos) << finished.err;
}

TEST_F(Plan, ALaunchOfAKernelThatIsNotInTheCodeIsAFailedCompile) {
  const Finished finished = plan_source(
      "extern \"C\" __global__ void present(const float*, const float*, float*) {}\n", "absent");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("compile_failed"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("'absent'"), std::string::npos) << finished.out;
  EXPECT_NE(finished.err.find("every compile failed"), std::string::npos) << finished.err;
}

TEST_F(Plan, ListsOverloadsOfAKernel) {
  const Finished finished = plan_source(
      "__global__ void k(const float*, const float*, float*) {}\n__global__ void k(int*) {}\n",
      "k");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("no kernel is the only one with the name 'k': there are k(float "
                              "const*, float const*, float*) and k(int*)"),
            std::string::npos)
      << finished.out;
}

TEST_F(Plan, FindsAKernelWithoutExternCAndNamesItsSharedMemory) {
  const auto source = [](const std::string& bytes) {
    return "__global__ void k(const float* x, const float*, float* y) {\n  __shared__ char s[" +
           bytes + "];\n  s[threadIdx.x] = *x;\n  __syncthreads();\n  *y = s[threadIdx.y];\n}\n";
  };
  EXPECT_EQ(plan_source(source("49152"), "k").status, 0);
  const Finished finished = plan_source(source("49153"), "k");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("has 49153 bytes of static shared memory"), std::string::npos)
      << finished.out;
}

TEST_F(Plan, PrintsDimensionsInTheOperationsOrder) {
  const Finished finished = run_tilewright(home_.path(), {"plan", "gemm/naive", "K=3", "N=2", "M=1",
                                                          "--arch", "sm_90", "--compile", "0"});
  EXPECT_EQ(finished.out.rfind("gemm M=1 N=2 K=3 ", 0), 0U) << finished.out;
}

}  // namespace
}  // namespace tilewright::test
