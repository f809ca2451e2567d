#include "tools/convert/legal_default.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

TEST(LegalDefault, KeepsWhatIsLegal) {
  std::vector<T1Parameter> parameters = {{"a", {1, 2, 4}, 2}, {"b", {1, 2, 4}, 1}};
  choose_legal_default(parameters, {{"a * b <= 4", "a*b<=4"}});
  EXPECT_EQ(parameters[0].default_value, 2);
  EXPECT_EQ(parameters[1].default_value, 1);
  choose_legal_default(parameters, {{"a * b == 4", "a*b==4"}});
  EXPECT_EQ(parameters[0].default_value, 2);
  EXPECT_EQ(parameters[1].default_value, 2);
  choose_legal_default(parameters, {{"4 / (a - 2) == 2", "4//(a-2) == 2"}});
  EXPECT_EQ(parameters[0].default_value, 4);
}

TEST(LegalDefault, MayNotBeThere) {
  std::vector<T1Parameter> parameters = {{"a", {1, 2}, 1}};
  EXPECT_THROW(choose_legal_default(parameters, {{"a > 2", "a>2"}}), InputError);
  parameters.clear();
  std::vector<std::int64_t> many(100);
  for (std::int64_t i = 0; i < 100; ++i) many[static_cast<std::size_t>(i)] = i;
  for (const char* name : {"a", "b", "c", "d", "e"}) parameters.push_back({name, many, 0});
  EXPECT_THROW(choose_legal_default(parameters, {{"a + b + c + d + e < 0", ""}}), InputError);
}

}  // namespace
}  // namespace tilewright::tools
