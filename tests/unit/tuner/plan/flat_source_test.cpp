#include "tuner/plan/flat_source.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/plan/filter_operation.hpp"

namespace tilewright {
namespace {

TEST(FlatSource, PutsHeadersInThePlaceOfTheirIncludesOnce) {
  const std::string flat = flat_source(
      "#include \"a.cuh\"\n#include <cuda_fp16.h>\n  # include \"b.cuh\"\nint kernel;\n",
      {{"a.cuh", "#pragma once\n#include \"b.cuh\"\nint a;\n"},
       {"b.cuh", "#pragma once\nint b;\n"}});
  EXPECT_EQ(flat,
            "// ---- a.cuh\n// ---- b.cuh\nint b;\n// ---- end of b.cuh\nint a;\n"
            "// ---- end of a.cuh\n#include <cuda_fp16.h>\nint kernel;\n");
}

TEST(FlatSource, RepeatsAHeaderThatIsMeantToBeIncludedAgain) {
  const std::string flat =
      flat_source("#include \"x.cuh\"\n#include \"x.cuh\"\n", {{"x.cuh", "X(1)\n"}});
  EXPECT_NE(flat.find("X(1)"), flat.rfind("X(1)"));
}

TEST(FlatSource, GuardsAHeaderWhoseFirstPlaceDependsOnACondition) {
  const std::string flat =
      flat_source("#if FIRST\n#include \"a.cuh\"\n#endif\n#include \"a.cuh\"\n#include \"a.cuh\"\n",
                  {{"a.cuh", "#pragma once\nint a;\n"}});
  const std::string guarded =
      "// ---- a.cuh\n#ifndef TILEWRIGHT_HEADER_0\n#define TILEWRIGHT_HEADER_0\nint a;\n#endif\n"
      "// ---- end of a.cuh\n";
  EXPECT_EQ(flat, "#if FIRST\n" + guarded + "#endif\n" + guarded);
}

TEST(FlatSource, LeavesAloneWhatIsNoIncludeOfAKnownHeader) {
  const std::string text = "// #include \"a.cuh\"\n#include \"other.cuh\"\n";
  EXPECT_EQ(flat_source(text, {{"a.cuh", "int a;\n"}}), text);
  EXPECT_EQ(flat_source("#line 3 \"bias.toml\"\nint x;\n", {}), "int x;\n");
  EXPECT_EQ(flat_source("#include \"a.cuh\"\n", {{"a.cuh", "#include \"a.cuh\"\n"}}),
            "// ---- a.cuh\n// ---- end of a.cuh\n");
}

TEST(FlatSource, RefusesHeadersThatMultiply) {
  std::map<std::string, std::string> headers;
  std::string chain;
  for (int i = 0; i < 300; ++i) {
    const std::string next = "#include \"" + std::to_string(i + 1) + "\"\n";
    headers[std::to_string(i)] = i < 40 ? next + next : next;
  }
  const auto refusal = [&](const std::string& first) {
    return input_error([&] { flat_source("#include \"" + first + "\"\n", headers); });
  };
  EXPECT_EQ(refusal("260"), "no error");
  EXPECT_NE(refusal("50").find("deeper than 200"), std::string::npos);
  headers.erase("45");
  EXPECT_NE(refusal("0").find("includes headers more than 10000 times"), std::string::npos);
}

TEST(FlatSource, TellsMacrosFromOtherOptions) {
  const std::vector<std::string> options = {"-DA=1", "-DB", "-std=c++20", "-DC=a=b"};
  EXPECT_EQ(define_lines(options), "#define A 1\n#define B 1\n#define C a=b\n");
  EXPECT_EQ(without_macros(options), std::vector<std::string>{"-std=c++20"});
}

}  // namespace
}  // namespace tilewright
