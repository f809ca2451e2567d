#include "definition/text/scanner.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string without_extern_c(std::string_view text) {
  return replace_at(text, "extern", [](Scanner& scanner) -> std::optional<std::string> {
    if (!scanner.blanks() || !scanner.piece("\"C\"")) return std::nullopt;
    return "C++";
  });
}

TEST(Scanner, MovesOverWhatIsThere) {
  Scanner scanner(" \t\none two(three)");
  EXPECT_FALSE(scanner.piece("one"));
  EXPECT_TRUE(scanner.blanks());
  EXPECT_FALSE(scanner.blanks());
  EXPECT_FALSE(scanner.word("on"));
  EXPECT_TRUE(scanner.word("one"));
  EXPECT_TRUE(scanner.blanks());
  EXPECT_FALSE(scanner.until(";"));
  EXPECT_EQ(scanner.until(";("), "two");
  EXPECT_TRUE(scanner.piece("(three)"));
  EXPECT_EQ(scanner.rest(), "");
  EXPECT_FALSE(scanner.blanks() || scanner.piece("x") || scanner.until("x"));
}

TEST(Scanner, LooksForAnEndNearbyAlone) {
  const std::string far = std::string(Scanner::kFarthest, 'x') + ';';
  EXPECT_FALSE(Scanner(far).until(";"));
  EXPECT_TRUE(Scanner(far, 1).until(";"));
}

TEST(ReplaceAt, WholeNamesWithWhatFollows) {
  EXPECT_EQ(without_extern_c("extern \"C\" int a; my_extern \"C\""), "C++ int a; my_extern \"C\"");
  EXPECT_EQ(without_extern_c("extern extern\n\"C\"{} externs \"C\""), "extern C++{} externs \"C\"");
  EXPECT_EQ(without_extern_c("extern"), "extern");
  EXPECT_EQ(without_extern_c(""), "");
}

// Where regular expressions have no stack left.
TEST(ReplaceAt, LongLines) {
  const std::string blanks(4'000'000, ' ');
  EXPECT_EQ(without_extern_c("extern" + blanks + "\"C\";" + blanks), "C++;" + blanks);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "extern ";
  EXPECT_EQ(without_extern_c(many), many);
}

}  // namespace
}  // namespace tilewright
