// Libraries of routines: whether they are here, and what a machine without them or without a GPU
// says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// A library that reports its version; the other functions are never called.
constexpr const char* kFakeLibrary = R"(
unsigned long cublasLtGetVersion(void) { return VERSION; }
#define FUNCTION(name) int name(void) { return 1; }
FUNCTION(cublasLtGetStatusString) FUNCTION(cublasLtCreate) FUNCTION(cublasLtMatmulDescCreate)
FUNCTION(cublasLtMatmulDescDestroy) FUNCTION(cublasLtMatmulDescSetAttribute)
FUNCTION(cublasLtMatrixLayoutCreate) FUNCTION(cublasLtMatrixLayoutDestroy)
FUNCTION(cublasLtMatrixLayoutSetAttribute) FUNCTION(cublasLtMatmulPreferenceCreate)
FUNCTION(cublasLtMatmulPreferenceDestroy) FUNCTION(cublasLtMatmulPreferenceSetAttribute)
FUNCTION(cublasLtMatmulAlgoGetHeuristic) FUNCTION(cublasLtMatmulAlgoInit)
FUNCTION(cublasLtMatmulAlgoConfigSetAttribute) FUNCTION(cublasLtMatmulAlgoConfigGetAttribute)
FUNCTION(cublasLtMatmulAlgoCheck) FUNCTION(MATMUL)
)";

class LibraryPlaces : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C compiler";
    if (run({"--version"}).out.find("no CUDA backend") != std::string::npos)
      GTEST_SKIP() << "this build has no CUDA backend";
  }
  void put(const fs::path& folder, int version, const std::string& matmul = "cublasLtMatmul") {
    fs::create_directories(folder);
    write_text(home_ / "library.c", kFakeLibrary);
    const std::string command =
        "cc -shared -fPIC -Wl,-soname,libcublasLt.so.13 -DVERSION=" + std::to_string(version) +
        " -DMATMUL=" + matmul + " -o " + (folder / "libcublasLt.so.13").string() + " " +
        (home_ / "library.c").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  std::string conda() const { return "CONDA_PREFIX=" + (home_ / "conda").string(); }
  Finished run(const std::vector<std::string>& words,
               const std::vector<std::string>& environment = {}) const {
    return run_tilewright(home_.path(), words, environment);
  }

  TemporaryFolder home_;
};

TEST_F(LibraryPlaces, AreThoseOfNvrtc) {
  put(home_ / "conda/lib", 139102);
  put(home_ / "loader", 139200);
  const std::string loader = "LD_LIBRARY_PATH=" + (home_ / "loader").string();
  EXPECT_NE(run({"--version"}, {loader, conda()}).out.find("\ncublasLt 13.91.2\n"),
            std::string::npos);
  EXPECT_NE(run({"--version"}, {loader}).out.find("\ncublasLt 13.92.0\n"), std::string::npos);
  EXPECT_NE(run({"devices"}, {conda()}).out.find("\nforeign library: cublasLt 13.91.2\n"),
            std::string::npos);
  const auto json = nlohmann::json::parse(run({"devices", "--json"}, {conda()}).out);
  EXPECT_EQ(json["libraries"][0]["routine"], "cublas");
  EXPECT_EQ(json["libraries"][1],
            (nlohmann::json{{"routine", "cublaslt"}, {"version", "cublasLt 13.91.2"}}));
}

TEST_F(LibraryPlaces, ALibraryThatLacksAFunctionIsNone) {
  put(home_ / "conda/lib", 139102, "unknown");
  const std::string said = run({"--version"}, {conda()}).out;
  EXPECT_NE(said.find("\ncublaslt none ("), std::string::npos) << said;
  EXPECT_NE(said.find("libcublasLt.so.13 has no function cublasLtMatmul)\n"), std::string::npos)
      << said;
  const auto json = nlohmann::json::parse(run({"devices", "--json"}, {conda()}).out);
  EXPECT_NE(run({"devices"}, {conda()}).out.find("\nforeign library: cublaslt none ("),
            std::string::npos);
  EXPECT_FALSE(json["libraries"][1].contains("version"));
  EXPECT_TRUE(json["libraries"][1].contains("why"));
}

TEST_F(LibraryPlaces, WhatDoesNotLoadIsNotUsed) {
  fs::create_directories(home_ / "conda/lib");
  write_text(home_ / "conda/lib/libcublasLt.so.13", "no library");
  put(home_ / "loader", 139200);
  const std::string loader = "LD_LIBRARY_PATH=" + (home_ / "loader").string();
  EXPECT_NE(run({"--version"}, {loader, conda()}).out.find("\ncublasLt 13.92.0\n"),
            std::string::npos);
}

TEST_F(LibraryPlaces, APlanDoesNotKnowWhatTheLibraryLists) {
  const std::vector<std::string> words = {"plan", "gemm/cublaslt", "M=N=K=256", "--arch", "sm_90"};
  const Finished plan = run(words);
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_NE(plan.out.find("gemm/cublaslt: not known here: the foreign library cublaslt lists "
                          "the configurations when a sweep begins\n"),
            std::string::npos)
      << plan.out;
  std::vector<std::string> mixed = words;
  mixed.insert(mixed.end(), {"type_a=int8", "type_b=bfloat16", "--json"});
  const auto json = nlohmann::json::parse(run(mixed).out);
  EXPECT_EQ(json["implementations"][0]["cuts"][0]["rule"],
            "cublasLt multiplies matrices of one type, or two of float8");
  // Snippets that the library computes itself, and others.
  const auto cut = [&](const char* implementation, const char* snippet) {
    const Finished with = run({"plan", implementation, "M=N=K=256", snippet, "--arch", "sm_90"});
    return with.out.find("the foreign library does not compute this epilogue") != std::string::npos;
  };
  EXPECT_FALSE(cut("gemm/cublaslt", "epilogue=bias_relu"));
  EXPECT_TRUE(cut("gemm/cublaslt", "epilogue=row_bias"));
  EXPECT_TRUE(cut("gemm/cublas", "epilogue=bias_relu"));
}

TEST_F(LibraryPlaces, TakePartUnlessSwitchedOff) {
  const auto planned = [&](const std::string& option, const std::string& variable) {
    std::vector<std::string> words = {"plan", "gemm", "M=N=K=256", "--arch", "sm_90"};
    if (!option.empty()) words.insert(words.end(), {"--libraries", option});
    return run(words, {"TILEWRIGHT_LIBRARIES=" + variable}).out.find("gemm/cublaslt") !=
           std::string::npos;
  };
  EXPECT_TRUE(planned("", ""));
  EXPECT_FALSE(planned("off", ""));
  EXPECT_FALSE(planned("", "off"));
  EXPECT_TRUE(planned("on", "off"));
  // Routines of a file of one's own are left out, too.
  const fs::path file = home_ / "only.toml";
  std::ofstream(file) << "schema = 1\n[operation]\nname = \"only\"\n"
                         "[[operation.dimension]]\nname = \"n\"\ndefault = 8\n"
                         "[[operation.argument]]\nname = \"x\"\nrole = \"output\"\ncount = \"n\"\n"
                         "[[implementation]]\nname = \"library\"\nroutine = \"cublas\"\n";
  EXPECT_NE(run({"plan", file.string(), "--arch", "sm_90"}).out.find("only/library"),
            std::string::npos);
  const Finished off = run({"plan", file.string(), "--arch", "sm_90", "--libraries", "off"});
  EXPECT_EQ(off.status, 2);
  EXPECT_NE(off.err.find("has only routines of foreign libraries, which are left out"),
            std::string::npos)
      << off.err;
  const Finished bad = run({"kernels"}, {"TILEWRIGHT_LIBRARIES=none"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("TILEWRIGHT_LIBRARIES 'none': give on or off"), std::string::npos)
      << bad.err;
}

TEST_F(LibraryPlaces, NoLibraryTakesPartOnTheHost) {
  const Finished swept = run({"sweep", "gemm", "M=N=K=8", "--device", "host", "--budget", "1",
                              "--where", "BLOCK_X == 8", "--json"});
  EXPECT_EQ(swept.out.find("cublaslt"), std::string::npos) << swept.out;
  const Finished alone = run({"sweep", "gemm/cublaslt", "M=N=K=8", "--device", "host"});
  EXPECT_NE(alone.status, 0);
  EXPECT_NE((alone.out + alone.err).find("cublaslt"), std::string::npos);
}

// Stores a finished sweep that a library won. Returns its uuid.
std::string add_sweep_of_library(const fs::path& file, double us = 100) {
  Trial trial;
  trial.implementation = "gemm/cublaslt";
  for (const char* name : {"REDUCTION", "SWIZZLE", "CUSTOM", "INNER_SHAPE", "CLUSTER_SHAPE"})
    trial.configuration.values[name] = 0;
  for (const auto& [name, value] : {std::pair("ALGORITHM", 66),
                                    {"TILE", 400},
                                    {"STAGES", 36},
                                    {"SPLIT_K", 1},
                                    {"WORKSPACE", 32}})
    trial.configuration.values[name] = value;
  trial.outcome = Outcome::measured;
  trial.stage = Stage::final;
  trial.verification.emplace();
  trial.timing = summarise(std::vector<double>(6, us), 3, 1980, 6);
  SweepKey key;
  key.operation = "gemm";
  key.problem = sample_problem();
  key.device = sample_device();
  key.implementations = {{trial.implementation, 1, "cublasLt 13.91.2", "space", {}}};
  Store store(file);
  const SweepRecord record =
      store.begin_sweep(key, {"580.1", "13.0", "NVRTC 13.0", "0.3.0"}, Store::Start::resume);
  store.add_trial(record.id, trial);
  store.finish_sweep(record.id, "{}");
  return record.uuid;
}

TEST_F(LibraryPlaces, AnswersNameTheLibraryAndItsVersion) {
  const std::string file = (home_ / "results.db").string();
  const std::string sweep = add_sweep_of_library(file);
  const auto best = [&](const std::string& size) {
    return run({"best", "gemm", "M=N=K=" + size, "--device", sample_device().name, "--db", file})
        .out;
  };
  const std::string exact = best("512");
  EXPECT_NE(exact.find("gemm/cublaslt  100 µs"), std::string::npos) << exact;
  EXPECT_NE(exact.find("library    cublasLt 13.91.2\n"), std::string::npos) << exact;
  // The library was not asked about another problem.
  EXPECT_EQ(best("513").find("gemm/cublaslt"), std::string::npos);
  // The fastest kernel was measured elsewhere.
  EXPECT_NE(exact.find("kernel     gemm/"), std::string::npos) << exact;
  EXPECT_NE(exact.find(", not measured for this problem\n"), std::string::npos) << exact;
  // Its version stands for its code.
  const Finished recheck = run({"recheck", "--compile-only", "--db", file});
  EXPECT_NE(recheck.out.find("measured with cublasLt 13.91.2, and another version is here"),
            std::string::npos)
      << recheck.out << recheck.err;
  const std::string results = run({"results", "--sweep", sweep, "--db", file}).out;
  EXPECT_NE(results.find("\ngemm/cublaslt is cublasLt 13.91.2\n"), std::string::npos) << results;
  const Finished shown = run(
      {"show", "gemm", "M=N=K=512", "--device", sample_device().name, "--db", file, "--source"});
  EXPECT_NE(shown.err.find("is a routine of a foreign library: there is no source to show"),
            std::string::npos)
      << shown.err;
}

TEST_F(LibraryPlaces, BestNamesTheFastestOwnKernelToo) {
  const std::string file = (home_ / "results.db").string();
  add_sweep_of_library(file, 80);
  add_sample_sweep(file);
  const std::vector<std::string> words = {
      "best", "gemm", "M=N=K=512", "--device", sample_device().name, "--db", file};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const std::string both = with({}).out;
  EXPECT_NE(both.find("gemm/cublaslt  80.0 µs"), std::string::npos) << both;
  EXPECT_NE(both.find("kernel     gemm/naive 100 µs, 1.2x slower\n"), std::string::npos) << both;
  const auto json = nlohmann::json::parse(with({"--format", "json"}).out);
  EXPECT_EQ(json["implementation"], "gemm/cublaslt");
  EXPECT_EQ(json["own"]["implementation"], "gemm/naive");
  EXPECT_EQ(json["own"]["configuration"]["BLOCK_X"], 128);
  const Finished defines = with({"--format", "defines"});
  EXPECT_NE(defines.out.find("-DBLOCK_X=128"), std::string::npos) << defines.out;
  EXPECT_NE(defines.err.find("gemm/cublaslt is the fastest; this is the fastest own kernel, "
                             "gemm/naive 100 µs, 1.2x slower"),
            std::string::npos)
      << defines.err;
  const std::string off = with({"--libraries", "off"}).out;
  EXPECT_NE(off.find("gemm/naive  100 µs"), std::string::npos) << off;
}

}  // namespace
}  // namespace tilewright::test
