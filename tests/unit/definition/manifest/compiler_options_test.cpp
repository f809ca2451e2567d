#include <fmt/format.h>

#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

class CompilerOptions : public ManifestTest {
 protected:
  // `options`, in TOML, of an implementation.
  Implementation read(const std::string& options, const std::string& compiler = "nvrtc") {
    folder_.write("k.cu", "");
    const auto file = folder_.write(
        "own.toml", fmt::format("schema = 1\n[operation]\nname = \"one\"\n"
                                "[[operation.argument]]\nname = \"x\"\nrole = \"output\"\n"
                                "count = \"1\"\n[[implementation]]\nname = \"k\"\n"
                                "source = \"k.cu\"\ncompiler = \"{}\"\noptions = [{}]\n"
                                "[[implementation.launch]]\nentry = \"f\"\ngrid = [1]\n"
                                "block = [1]\narguments = [\"x\"]\n",
                                compiler, options));
    return read_manifest(file).implementations.front();
  }
  std::string refusal(const std::string& options) {
    try {
      read(options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

using Texts = std::vector<std::string>;

TEST_F(CompilerOptions, FoldersOfHeadersAreThoseOfInclude) {
  for (const char* written : {"'-Iheaders'", "'-I', 'headers'", "'--include-path=headers'",
                              "'--include-path', 'headers'", "'-isystem', 'headers'"}) {
    const Implementation read_one = read(written);
    EXPECT_EQ(read_one.options, Texts{}) << written;
    ASSERT_EQ(read_one.include_directories.size(), 1U) << written;
    EXPECT_EQ(read_one.include_directories.front(), folder_.path() / "headers") << written;
  }
}

TEST_F(CompilerOptions, WordsOfNvccMeanTheSameForNvrtc) {
  EXPECT_EQ(
      read("'-Xptxas', '-v', '-D', 'A=1', '-std', 'c++20', '-lineinfo', '-fmad=false'").options,
      (Texts{"--ptxas-options=-v", "-DA=1", "-std=c++20", "-lineinfo", "-fmad=false"}));
  const Implementation dropped = read(
      "'-O3', '--expt-relaxed-constexpr', '-Xcompiler', '-Wall', '-lcublas', '--use_fast_math'");
  EXPECT_EQ(dropped.options, Texts{"--use_fast_math"});
  EXPECT_EQ(dropped.dropped_options,
            (Texts{"-O3", "--expt-relaxed-constexpr", "-Xcompiler -Wall", "-lcublas"}));
  EXPECT_EQ(read("'-O3', '-Xcompiler', '-Wall'", "nvcc").options,
            (Texts{"-O3", "-Xcompiler", "-Wall"}));
}

TEST_F(CompilerOptions, AReferenceAndAKernelThatFillsDropThemToo) {
  folder_.write("k.cu", "");
  const auto file = folder_.write(
      "own.toml",
      "schema = 1\n[operation]\nname = \"one\"\n"
      "[operation.reference]\nsource = \"k.cu\"\noptions = [\"-O3\", \"-DA=1\"]\n"
      "[[operation.reference.launch]]\nentry = \"f\"\ngrid = [1]\nblock = [1]\n"
      "arguments = [\"x\", \"y\"]\n"
      "[[operation.argument]]\nname = \"x\"\nrole = \"input\"\ncount = \"1\"\n"
      "fill = { kind = \"kernel\", entry = \"g\", grid = [1], block = [1], arguments = [\"x\"], "
      "options = [\"-lm\", \"-DB=2\"] }\n"
      "[[operation.argument]]\nname = \"y\"\nrole = \"output\"\ncount = \"1\"\n");
  const Operation operation = read_manifest(file).operations.front();
  EXPECT_EQ(operation.reference.options, Texts{"-DA=1"});
  EXPECT_EQ(operation.reference.dropped_options, Texts{"-O3"});
  EXPECT_EQ(operation.kernel_fills.at("x").options, Texts{"-DB=2"});
  EXPECT_EQ(operation.kernel_fills.at("x").dropped_options, Texts{"-lm"});
}

TEST_F(CompilerOptions, WhatContradictsTheSweepIsRefusedByName) {
  for (const char* option :
       {"-arch=sm_80", "-gencode", "--gpu-architecture=sm_90", "-G", "-o", "-ptx"})
    EXPECT_NE(refusal(fmt::format("'{}'", option))
                  .find(fmt::format("'options': {}: leave it out", option)),
              std::string::npos)
        << refusal(fmt::format("'{}'", option));
  EXPECT_NE(refusal("'-I'").find("its value is missing"), std::string::npos);
}

TEST_F(CompilerOptions, AByteOrderMarkIsNoPartOfAManifest) {
  const auto file = folder_.write("own.toml", "\xef\xbb\xbfschema = 0\n");
  try {
    read_manifest(file);
    FAIL() << "schema 0 was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(":1:10: there is no schema 0"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tilewright
