// [implementation.terms] of a manifest.
#include <fmt/format.h>

#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

constexpr const char* kTerms = R"toml([implementation.terms]
row_bytes = "4 * BLOCK"
block_bytes = "row_bytes * taps"

[[implementation.launch]]
)toml";

class TermsTest : public ManifestTest {
 protected:
  // The complete manifest with `terms` before its launch, and `use` as the launch's shared memory.
  std::string with(const std::string& terms, const std::string& use) const {
    std::string text = kComplete;
    const std::string launch = "[[implementation.launch]]\n";
    text.replace(text.find(launch), launch.size(), terms);
    const std::string shared = "shared_bytes = \"4 * BLOCK\"";
    text.replace(text.find(shared), shared.size(), "shared_bytes = \"" + use + "\"");
    return text;
  }

  std::string error_with(const std::string& terms, const std::string& use = "4 * BLOCK") {
    return error_of(with(terms + "\n[[implementation.launch]]\n", use));
  }
};

TEST_F(TermsTest, StandForTheirExpressions) {
  const Manifest manifest = read(with(kTerms, "block_bytes + 16"));
  EXPECT_EQ(manifest.implementations[0].launches[0].shared_bytes.text(),
            "((4 * BLOCK) * taps) + 16");
}

TEST_F(TermsTest, MayUseOnlyThoseBeforeThem) {
  EXPECT_NE(error_with("[implementation.terms]\none = \"2 * other\"\nother = \"BLOCK\"\n")
                .find("unknown name 'other'"),
            std::string::npos);
}

TEST_F(TermsTest, MistakesAreNamedWhereTheTermIsWritten) {
  const std::string error = error_with("[implementation.terms]\none = \"2 * BLOK\"\n", "one");
  EXPECT_NE(error.find("unknown name 'BLOK'; did you mean 'BLOCK'?"), std::string::npos) << error;
  EXPECT_NE(error.find(":12: "), std::string::npos) << error;
  EXPECT_NE(
      error_with("[implementation.terms]\none = \"2 *\"\n").find("'one' is not an expression"),
      std::string::npos);
}

TEST_F(TermsTest, MistakesAreNamedThereEvenIfAParameterUsesThem) {
  const std::string active = "active = \"BLOCK > 64\"";
  std::string text = with(
      "[implementation.terms]\none = \"2 * BLOK\"\n\n[[implementation.launch]]\n", "4 * BLOCK");
  text.replace(text.find(active), active.size(), "active = \"one > 64\"");
  const std::string error = error_of(text);
  EXPECT_NE(error.find(":12: unknown name 'BLOK'"), std::string::npos) << error;
}

TEST_F(TermsTest, AreLaunchArgumentsByTheirNames) {
  std::string text = with(kTerms, "block_bytes");
  const std::string size = "\"length\", \"boundary\"";
  text.replace(text.find(size), size.size(), "\"row_bytes\", \"boundary\"");
  const LaunchArgument argument = read(text).implementations[0].launches[0].arguments[3];
  EXPECT_EQ(argument.kind, LaunchArgument::Kind::value);
  EXPECT_EQ(argument.value.text(), "4 * BLOCK");
}

// A failed evaluation names a place in what the manifest says.
TEST_F(TermsTest, AreNotWrittenOutInMessages) {
  const Manifest manifest = read(with(kTerms, "row_bytes + 1 / (taps - taps)"));
  const Expression& bytes = manifest.implementations[0].launches[0].shared_bytes;
  EXPECT_EQ(bytes.written(), "row_bytes + 1 / (taps - taps)");
  EXPECT_EQ(bytes.text(), "(4 * BLOCK) + 1 / (taps - taps)");
}

TEST_F(TermsTest, HaveNamesOfTheirOwn) {
  for (const std::string name : {"taps", "boundary", "BLOCK", "signal"})
    EXPECT_NE(error_with("[implementation.terms]\n" + name + " = \"1\"\n")
                  .find("the term '" + name + "' has the name of a dimension, choice, parameter"),
              std::string::npos)
        << name;
  EXPECT_NE(error_with("[implementation.terms]\nmax = \"1\"\n").find("'max' is reserved"),
            std::string::npos);
  EXPECT_NE(
      error_with("[implementation.terms]\n\"a b\" = \"1\"\n").find("is not the name of a term"),
      std::string::npos);
}

TEST_F(TermsTest, AreMacrosIfTheyAreCompiledIn) {
  const auto compiled_in = [&](const std::string& names, const std::string& terms) {
    std::string text = with(terms, "4 * BLOCK");
    const std::string before = "compiled_in = [\"boundary\"";
    return text.replace(text.find(before), before.size(), before + names);
  };
  const auto items = read(compiled_in(", \"row_bytes\"", kTerms)).implementations[0].compiled_in;
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(macro_of(items[0]), "PROBLEM_BOUNDARY");
  EXPECT_EQ(macro_of(items[1]), "TERM_ROW_BYTES");
  ASSERT_TRUE(items[1].term);
  EXPECT_EQ(items[1].term->text(), "4 * BLOCK");
}

TEST_F(TermsTest, StayWithinLimitsHoweverOftenTheyAreUsed) {
  std::string chain = "[implementation.terms]\nt0 = \"BLOCK\"\n";
  for (int i = 1; i < 40; ++i) chain += fmt::format("t{} = \"t{} + t{}\"\n", i, i - 1, i - 1);
  EXPECT_NE(error_with(chain).find("longer than 4096 characters with its terms written out"),
            std::string::npos)
      << error_with(chain);
  std::string constraints = "[implementation.terms]\nlong = \"1";
  for (int i = 0; i < 1500; ++i) constraints += "+1";
  constraints += "\"\n";
  for (int i = 0; i < 1000; ++i)
    constraints +=
        fmt::format("[[implementation.constraint]]\nrequire = \"long\"\nwhy = \"{}\"\n", i);
  EXPECT_NE(error_with(constraints).find("terms have added more than 1048576 characters"),
            std::string::npos);
}

TEST_F(TermsTest, AreNumbers) {
  EXPECT_NE(error_with("[implementation.terms]\none = \"boundary\"\n").find("a label stands where"),
            std::string::npos);
  EXPECT_NE(error_with("[implementation.terms]\none = [1]\n").find("an expression"),
            std::string::npos);
  std::string many = "[implementation.terms]\n";
  for (int i = 0; i < 65; ++i) many += "t" + std::to_string(i) + " = \"1\"\n";
  EXPECT_NE(error_with(many).find("at most 64 terms"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
