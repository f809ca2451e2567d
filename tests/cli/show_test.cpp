#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/cli/show_fixture.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Show, AnswersFromWhatIsShippedAsBestDoes) {
  const Finished finished = run_tilewright(
      home_.path(), {"show", "gemm/blocked", "M=1024", "N=1024", "K=1024", "--device", "H200"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  expect_in(finished.out, {", sm_90\n", "The configuration: exact"});
}

TEST_F(Show, RefusesAnArchitectureThatTheConfigurationIsNotFor) {
  const Finished refused =
      run_tilewright(home_.path(), {"show", "gemm/wgmma", "M=N=K=4096", "type_a=bfloat16",
                                    "--device", "H200", "--arch", "sm_80", "--ptx"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  expect_in(refused.err, {"--arch sm_80: ", "wgmma is an instruction of compute capability 9.0"});
}

TEST_F(Show, TheCommandForTheHostCompilesAFileOfAnyName) {
  const fs::path file = home_ / "kernel.cu";
  const Finished source = show({"gemm/naive", "M=N=K=48", "--device", "host", "-o", file.string()});
  ASSERT_EQ(source.status, 0) << source.err;
  const std::string command = source.err.substr(source.err.rfind("\n", source.err.size() - 2) + 1);
  expect_in(command, {" -x c++ " + file.string()});
  const Finished compiled = shell(command.substr(0, command.size() - 1));
  EXPECT_EQ(compiled.status, 0) << compiled.out;
}

TEST_F(Show, TheSourceIsOneTextWithMacrosAndHeaders) {
  const Finished source = show({"gemm/tiled", "M=N=K=64", "--arch", "sm_90"});
  ASSERT_EQ(source.status, 0) << source.err;
  expect_in(source.out, {"#define BLOCK_X 8\n", "#define PROBLEM_ACCUMULATE 0\n",
                         "struct Epilogue {", "gemm_tiled("});
  EXPECT_EQ(source.out.find("#include \""), std::string::npos);
  expect_in(source.err,
            {"nvcc -arch=sm_90 -std=c++17 gemm_tiled.cu -cubin -o gemm_tiled.cubin", "default"});
}

TEST_F(Show, TheSourceAsksForTemplateKernels) {
  const Finished source =
      show({kShowSource + "/tests/definitions/sum.toml", "count=4096", "--arch", "sm_90"});
  ASSERT_EQ(source.status, 0) << source.err;
  expect_in(source.out, {"\ntemplate __global__ decltype(final_sum<256>) final_sum<256>;\n"});
}

TEST_F(Show, OfTheHostItIsWhatTheHostCompilerGets) {
  const fs::path file = home_ / "naive.cpp";
  const Finished source = show({"gemm/naive", "M=N=K=8", "--device", "host", "--output", file});
  ASSERT_EQ(source.status, 0) << source.err;
  EXPECT_EQ(source.out, "");
  expect_in(content_of(file), {"TILEWRIGHT_HOST", "tilewright_host_state", "gemm_naive("});
  const std::size_t command = source.err.rfind("++ ");
  ASSERT_NE(command, std::string::npos) << source.err;
  const std::string line = source.err.substr(source.err.rfind('\n', command) + 1);
  const Finished compiled = shell(line.substr(0, line.find('\n')));
  EXPECT_EQ(compiled.status, 0) << line << compiled.out;
}

TEST_F(Show, AConfigurationOfOnesOwnMustBeInTheSpace) {
  const std::vector<std::string> words = {"gemm/naive", "M=N=K=64", "--arch", "sm_90", "--config"};
  const auto with = [&](const std::string& text) {
    std::vector<std::string> all = words;
    all.push_back(text);
    return show(all);
  };
  expect_in(with("BLOCK_X=128 BLOCK_Y=4").out, {"#define BLOCK_X 128\n", "#define BLOCK_Y 4\n"});
  const Finished broken = with("BLOCK_X=256 BLOCK_Y=32");
  EXPECT_EQ(broken.status, 2);
  expect_in(broken.err, {"a block has at most 1024 threads"});
  const Finished family = show({"gemm", "M=64", "--arch", "sm_90", "--config", "BLOCK_X=32"});
  EXPECT_EQ(family.status, 2);
  expect_in(family.err, {"OPERATION/IMPLEMENTATION"});
}

TEST_F(Show, WithoutOneItIsTheBestStored) {
  add_sample_sweep(database_in(home_.path()));
  const Finished source = show({"gemm", "M=N=K=512", "--device", "Test 9000", "--reproducer"});
  ASSERT_EQ(source.status, 0) << source.err;
  expect_in(source.out, {"#define BLOCK_X 128\n", "// The configuration: exact: sweep "});
}

TEST_F(Show, AStoredTrialNamesEverything) {
  const std::string uuid = add_sample_sweep(database_in(home_.path()));
  const auto json = nlohmann::json::parse(
      run_tilewright(home_.path(), {"results", "--sweep", uuid, "--json"}).out);
  for (const auto& trial : json.at("trials")) {
    const std::string number = std::to_string(trial.at("number").get<int>());
    const Finished shown = show({"--trial", uuid.substr(0, 8) + "/" + number});
    ASSERT_EQ(shown.status, 0) << shown.err;
    const int block = trial.at("configuration").at("BLOCK_X");
    expect_in(shown.out, {"#define BLOCK_X " + std::to_string(block) + "\n",
                          "gemm/naive for M=N=K=512, sm_90\n"});
    expect_in(shown.err, {"/" + number + ": measured", "the source of gemm/naive has changed"});
  }
}

TEST_F(Show, ATrialThatIsNotThereIsNamed) {
  EXPECT_EQ(show({"--trial", "1f3a/1"}).status, 2) << "no database";
  const std::string uuid = add_sample_sweep(database_in(home_.path()));
  for (const std::string trial : {"zzzz/1", "/1", "1"})
    EXPECT_EQ(show({"--trial", trial}).status, 2);
  expect_in(show({"--trial", uuid + "/7"}).err, {"the sweep has trials 1 to 6"});
  expect_in(show({"conv1d", "--trial", uuid + "/1"}).err, {"is of gemm, not of conv1d"});
  expect_in(show({"gemm", "M=8", "--trial", uuid + "/1"}).err, {"leave M=8 out"});
  EXPECT_EQ(show({"--trial", uuid + "/1", "--config", "BLOCK_X=8"}).status, 2);
}

TEST_F(Show, WhatOnlyAGpuHasNeedsAnArchitecture) {
  for (const char* form : {"--ptx", "--sass"}) {
    const Finished finished = show({"gemm/naive", "M=N=K=8", "--device", "host", form});
    EXPECT_EQ(finished.status, 2);
    expect_in(finished.err, {"--arch"});
  }
  EXPECT_EQ(show({"gemm/naive", "--ptx", "--sass", "--arch", "sm_90"}).status, 2);
  EXPECT_EQ(show({"gemm/naive", "--device", "host", "--arch", "sm_90"}).status, 2);
}

TEST_F(Show, PtxIsNvrtcs) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const Finished ptx = show({"gemm/naive", "M=N=K=64", "--arch", "sm_90", "--ptx"});
  ASSERT_EQ(ptx.status, 0) << ptx.err;
  expect_in(ptx.out, {".target sm_90", ".entry gemm_naive("});
}

TEST_F(Show, SassIsWhatTheToolkitsProgramPrints) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<std::string> words = {"gemm/naive", "M=N=K=64", "--arch", "sm_90", "--sass"};
  const fs::path program = home_ / "nvdisasm";
  write_text(program, "#!/bin/sh\necho disassembled $1\nhead -c 4 $2\n");
  fs::permissions(program, fs::perms::owner_all);
  const Finished sass = show(words, {"PATH=" + home_.path().string() + ":/usr/bin:/bin"});
  EXPECT_EQ(sass.status, 0) << sass.err;
  EXPECT_EQ(sass.out,
            "disassembled --print-code\n\x7f"
            "ELF");
  write_text(program, "#!/bin/sh\necho no such machine\nexit 1\n");
  const Finished failed = show(words, {"PATH=" + home_.path().string() + ":/usr/bin:/bin"});
  EXPECT_EQ(failed.status, 3);
  expect_in(failed.err, {"nvdisasm ended with status 1: no such machine"});
}

TEST_F(Show, OfSeveralUnitsThereIsPtxAndSassOfAll) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const std::string units = kShowSource + "/tests/definitions/units.toml";
  const Finished ptx = show({units, "--arch", "sm_90", "--ptx"});
  ASSERT_EQ(ptx.status, 0) << ptx.err;
  expect_in(ptx.out, {".entry add_block(", "// unit last\n"});
  const fs::path program = home_ / "nvdisasm";
  write_text(program, "#!/bin/sh\nhead -c 4 $2\n");
  fs::permissions(program, fs::perms::owner_all);
  const Finished sass = show({units, "--arch", "sm_90", "--sass"},
                             {"PATH=" + home_.path().string() + ":/usr/bin:/bin"});
  EXPECT_EQ(sass.status, 0) << sass.err;
  EXPECT_EQ(sass.out,
            "\x7f"
            "ELF\x7f"
            "ELF");
  const Finished refused = show({units, "--arch", "sm_90", "--reproducer"});
  EXPECT_EQ(refused.status, 2);
  expect_in(refused.err, {"sum_in_units/two_units is compiled in 2 source units"});
}

TEST_F(Show, TheSourceIsOfOneUnit) {
  const std::string units = kShowSource + "/tests/definitions/units.toml";
  const Finished own = show({units, "--arch", "sm_90"});
  ASSERT_EQ(own.status, 0) << own.err;
  expect_in(own.out, {"sm_90, the implementation's own unit\n", "--maxrregcount=128"});
  EXPECT_EQ(own.out.find("#define LAST_THREADS 256"), std::string::npos);
  const Finished last = show({units, "--arch", "sm_90", "--unit", "last"});
  ASSERT_EQ(last.status, 0) << last.err;
  expect_in(last.out, {"sm_90, unit last\n", "#define LAST_THREADS 256", "--maxrregcount=32"});
  const Finished unknown = show({units, "--arch", "sm_90", "--unit", "first"});
  EXPECT_EQ(unknown.status, 2);
  expect_in(unknown.err, {"has the implementation's own unit, unit last"});
  EXPECT_EQ(show({units, "--arch", "sm_90", "--unit", "last", "--ptx"}).status, 2);
}

TEST_F(Show, WithoutTheToolkitsProgramsSassIsASentence) {
  for (const char* program : {"nvdisasm", "cuobjdump"})
    if (fs::exists(fs::path("/usr/local/cuda/bin") / program))
      GTEST_SKIP() << "this machine has " << program;
  const Finished missing = show({"gemm/naive", "M=N=K=64", "--arch", "sm_90", "--sass"},
                                {"PATH=" + home_.path().string()});
  EXPECT_EQ(missing.status, 3);
  expect_in(missing.err, {"SASS needs nvdisasm or cuobjdump"});
}

TEST_F(Show, AHeaderOfAConfigurationSaysWhatTexturesRead) {
  const Finished header = run_tilewright(
      home_.path(), {"best", kShowSource + "/tests/definitions/texture.toml/rotate/texture",
                     "--device", "host", "--require", "any", "--format", "header"});
  ASSERT_EQ(header.status, 0) << header.err;
  expect_in(header.out, {"// Texture 0: image, 70 x 40 elements, memory array, address border "
                         "border, filter linear, read element, coordinates element.\n"});
}

}  // namespace
}  // namespace tilewright::test
