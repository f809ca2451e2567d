#include "tuner/backend/standard_headers.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string prelude_of(const std::string& source) {
  CompileRequest request;
  request.source = source;
  return standard_headers(request).prelude;
}

TEST(StandardHeaders, APreludeDefinesTheNamesThatAreUsed) {
  EXPECT_EQ(prelude_of("int x = y;"), "");
  EXPECT_EQ(prelude_of("uint32_t a; float b = INFINITY, c = -FLT_MAX;"),
            "#include <float.h>\n#include <math.h>\n#include <stdint.h>\n");
  EXPECT_EQ(prelude_of("my_uint32_t a; uint32_t_2 b;"), "");
}

TEST(StandardHeaders, WhatASourceDeclaresItselfStaysItsOwn) {
  EXPECT_EQ(prelude_of("typedef unsigned long uint64_t;\nuint64_t a;"), "");
  EXPECT_EQ(prelude_of("using uint32_t = unsigned;\nuint32_t a;"), "");
  EXPECT_EQ(prelude_of("#define INFINITY 1e38f\nfloat a = INFINITY;"), "");
}

TEST(StandardHeaders, HeadersOfCppAreNamed) {
  CompileRequest request;
  request.source = "#include <type_traits>\n#include <cmath>\n#include <cub/cub.cuh>\n";
  EXPECT_EQ(standard_headers(request).cpp, std::vector<std::string>{"type_traits"});
  EXPECT_TRUE(
      standard_headers(request).texts.at("cmath").starts_with("#pragma once\n#include <math.h>\n"));
}

}  // namespace
}  // namespace tilewright
