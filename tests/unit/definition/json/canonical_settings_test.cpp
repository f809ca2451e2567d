#include "definition/json/canonical_settings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tilewright {
namespace {

TEST(CanonicalSettings, ReadsWhatWasWritten) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (const Settings& settings :
       {Settings{}, Settings{{"M", 512}}, Settings{{"A", least}, {"B", "no"}, {"c_2", -1}}})
    EXPECT_EQ(settings_from_canonical(canonical_json(settings)), settings)
        << canonical_json(settings);
}

TEST(CanonicalSettings, GivesPairsInTheirOrder) {
  CanonicalSettings pairs(R"({"K":16,"epilogue":"none"})");
  const auto first = pairs.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, "K");
  EXPECT_EQ(std::get<std::int64_t>(first->value), 16);
  EXPECT_FALSE(pairs.is_at_end());
  const auto second = pairs.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(std::get<std::string_view>(second->value), "none");
  EXPECT_FALSE(pairs.next());
  EXPECT_TRUE(pairs.is_at_end());
  EXPECT_FALSE(pairs.next());
}

TEST(CanonicalSettings, RefusesAnythingElse) {
  for (const char* text :
       {"", "{", "}", "[]", "null", R"({"M")", R"({"M":})", R"({"M":1)", R"({"M":1,})",
        R"({,"M":1})", R"({"M":1}{)", R"({"M":1.5})", R"({"M":true})", R"({"M":"no})",
        R"({"M":99999999999999999999})", R"({M:1})", R"({ "M":1})", R"({"M":1"N":2})"})
    EXPECT_FALSE(settings_from_canonical(text)) << text;
}

}  // namespace
}  // namespace tilewright
