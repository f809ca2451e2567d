#include "definition/toml/toml_file.hpp"

#include <gtest/gtest.h>

#include "definition/toml/table_reader.hpp"
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

std::string repeated(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// A value of so many levels, below a key.
std::string arrays(std::size_t count) {
  return "a = " + repeated(count, "[") + repeated(count, "]") + '\n';
}

TEST(TomlDepth, CountsArraysTablesAndTheDotsOfKeysTogether) {
  EXPECT_FALSE(too_deep_place(arrays(kDeepestToml)));
  EXPECT_TRUE(too_deep_place(arrays(kDeepestToml + 1)));
  EXPECT_FALSE(too_deep_place("a" + repeated(kDeepestToml, ".a") + " = 1\n"));
  EXPECT_TRUE(too_deep_place("a" + repeated(kDeepestToml + 1, ".a") + " = 1\n"));
  EXPECT_TRUE(too_deep_place('[' + repeated(kDeepestToml + 1, "a.") + "a]\n"));
  EXPECT_TRUE(too_deep_place("[[" + repeated(kDeepestToml + 1, "\"a\" . ") + "a]]\n"));
  const std::size_t half = kDeepestToml / 2;
  const std::string header = '[' + repeated(half, "a.") + "a]\n";
  EXPECT_TRUE(too_deep_place(header + "x = 1\n" + arrays(half)));
  EXPECT_FALSE(too_deep_place(header + "x = 1\n[b]\n" + arrays(half)));
  EXPECT_TRUE(too_deep_place("a = " + repeated(half + 1, "{a.b = ")));
  EXPECT_TRUE(too_deep_place("a = [\n" + repeated(kDeepestToml, "[\n")));
}

TEST(TomlDepth, StringsAndCommentsAreNotLevels) {
  const std::string many = repeated(2 * kDeepestToml, "[.{");
  for (const std::string& text :
       {"a = \"" + many + "\"\n", "a = '" + many + "'\n", "a = '''" + many + "\n'" + many + "'''\n",
        "a = \"\"\"" + many + "\\\"\"\"" + many + "\"\"\"\n", "# " + many + "\na = 1 # " + many,
        "a = \"\\\"" + many + "\"\n", '"' + many + "\" = 1\n"})
    EXPECT_FALSE(too_deep_place(text)) << text;
}

TEST(TomlDepth, WhatFollowsAStringCounts) {
  const std::string many = repeated(kDeepestToml + 1, "[");
  for (const char* text :
       {"''''''", "''''a'''''", "\"\"\"\"\"\"", "\"\"\"a\"\"\"\"\"", "\"\"\"a\"\"\"\"",
        "\"\"\"a\\\"\"\"\"", "'\\'", "\"\\\\\"", "''", "\"\"", "1.5", "'unfinished\n"})
    EXPECT_TRUE(too_deep_place(std::string("a = [") + text + ", " + many)) << text;
  EXPECT_TRUE(too_deep_place("# '''\na = " + many));
}

TEST(TomlDepth, SiblingsDoNotAddUp) {
  EXPECT_FALSE(too_deep_place("a = [" + repeated(1000, "[1.5, {b.c = 2}], ") + "]\n"));
  EXPECT_FALSE(too_deep_place(repeated(1000, "[[a.b]]\nc.d = 1979-05-27T07:32:00.5\n")));
}

TEST_F(ManifestTest, RefusesWhatNestsTooDeepWithItsPlace) {
  for (const char* open : {"[", "{a="})
    EXPECT_NE(error_of("schema = 1\na = " + repeated(100'000, open)).find(":2:"),
              std::string::npos);
  for (const std::size_t count : {std::size_t{30'000}, std::size_t{100'000}}) {
    const std::string message = error_of("schema=1\na" + repeated(count, ".a") + " = 1\n");
    EXPECT_EQ(message, ":2:202: nests deeper than 100 levels");
  }
  EXPECT_EQ(error_of("schema=1\n[a" + repeated(30'000, ".a") + "]\n"),
            ":2:203: nests deeper than 100 levels");
}

TEST_F(ManifestTest, RefusesExpressionsThatNestTooDeep) {
  for (const std::string& deep :
       {repeated(1000, "(") + '1' + repeated(1000, ")"), repeated(1000, "- ") + '1',
        repeated(1000, "!") + '1', repeated(500, "1?1:") + '1', repeated(500, "abs(") + '1'})
    expect_error("\"2 * length * taps\"", '"' + deep + '"', ":", "nested more than 200 deep");
  expect_error("\"2 * length * taps\"", '"' + repeated(5000, "1+") + "1\"", ":",
               "an expression has at most 4096");
  EXPECT_EQ(error_of(changed("\"2 * length * taps\"", '"' + repeated(2000, "1+") + "1\"")),
            "no error");
}

TEST_F(ManifestTest, RefusesMoreElementsThanItsChecksCanCompare) {
  std::string values = "values = [";
  for (int i = 0; i < 5000; ++i) values += std::to_string(1000 + i) + ", ";
  expect_error("values = [64, 128", values + "64, 128", ":", "'values' has 50");
  std::string parameters;
  for (std::size_t i = 0; i <= kMostParameters; ++i)
    parameters += "[[implementation.parameter]]\nname = \"P" + std::to_string(i) +
                  "\"\nvalues = [1]\ndefault = 1\n";
  const std::string launch = "[[implementation.launch]]\n";
  expect_error(launch, parameters + launch, ":", "at most 64 parameters");
}

TEST_F(ManifestTest, RefusesFilesThatAreTooLargeOrNotFiles) {
  EXPECT_NE(error_of("schema = 1\n" + repeated(1 << 17, "# spaces\n")).find("larger than 1 MiB"),
            std::string::npos);
  try {
    read_manifest("/dev/zero");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/dev/zero: is not a regular file");
  }
}

}  // namespace
}  // namespace tilewright
