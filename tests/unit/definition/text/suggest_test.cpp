#include "definition/text/suggest.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

const std::vector<std::string> kKnown = {"TILE_WIDTH", "BLOCK_X", "BLOCK_Y", "tiled"};

TEST(Suggestion, NamesTheNearest) {
  EXPECT_EQ(suggestion("TILE_WIDHT", kKnown), "; did you mean 'TILE_WIDTH'?");
  EXPECT_EQ(suggestion("BLOCKY", kKnown), "; did you mean 'BLOCK_Y'?");
  EXPECT_EQ(suggestion("block_x", kKnown), "; did you mean 'BLOCK_X'?");
  EXPECT_EQ(suggestion("tield", kKnown), "; did you mean 'tiled'?");
}

TEST(Suggestion, TakesABeginningForTheWhole) {
  EXPECT_EQ(suggestion("TILE", {"BLOCK_X", "TILE_WIDTH"}), "; did you mean 'TILE_WIDTH'?");
}

TEST(Suggestion, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(suggestion("colour", {"naive", "tiled"}), "; known: naive, tiled");
  EXPECT_EQ(suggestion("X", {"M", "N"}), "; known: M, N");
  EXPECT_EQ(suggestion("", {"naive"}), "; known: naive");
}

TEST(Suggestion, IsSilentWithoutNames) {
  EXPECT_EQ(suggestion("anything", {}), "");
}

TEST(Suggestion, StaysShort) {
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back("parameter_" + std::to_string(i));
  EXPECT_LT(suggestion("zzz", many).size(), 400U);
  EXPECT_LT(suggestion(std::string(100'000, 'z'), many).size(), 400U);
}

}  // namespace
}  // namespace tilewright
