#include "campaign/target.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Implementation with_parameters(const std::string& name, const std::vector<std::string>& names) {
  Implementation one;
  one.operation = "scale";
  one.name = name;
  for (const std::string& parameter : names)
    one.parameters.push_back({parameter, "", {1, 2}, 1, std::nullopt});
  return one;
}

class WhereTest : public testing::Test {
 protected:
  WhereTest() {
    Family family;
    family.operation.name = "scale";
    family.operation.dimensions = {{"n", "", 64, 64}};
    family.implementations = {with_parameters("plain", {"BLOCK"}),
                              with_parameters("wide", {"BLOCK", "WIDTH"}),
                              with_parameters("deep", {"BLOCK", "DEPTH"})};
    target_ = choose_target(std::move(family), "scale");
  }

  std::vector<std::string> kept(const std::string& rule) const {
    std::vector<std::string> names;
    for (const Implementation* one : parse_where(rule, target_).implementations)
      names.push_back(one->name);
    return names;
  }

  void expect_refused(const std::string& rule, const std::string& sentence) const {
    try {
      parse_where(rule, target_);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), sentence);
    }
  }

  Target target_;
};

TEST_F(WhereTest, KeepsWhatHasAllNames) {
  EXPECT_EQ(kept("BLOCK > n && device.sm_count > 1"),
            (std::vector<std::string>{"plain", "wide", "deep"}));
  EXPECT_EQ(parse_where("BLOCK > n", target_).left_out, "");
  EXPECT_EQ(kept("WIDTH > 1"), std::vector<std::string>{"wide"});
}

TEST_F(WhereTest, SaysWhatIsLeftOut) {
  EXPECT_EQ(parse_where("WIDTH > 1", target_).left_out,
            "where names WIDTH, which scale/plain, scale/deep do not have: they are left out");
  target_.implementations.pop_back();
  EXPECT_EQ(parse_where("WIDTH > 1", target_).left_out,
            "where names WIDTH, which scale/plain does not have: it is left out");
  target_.implementations = {&target_.family->implementations[2], target_.implementations[1]};
  EXPECT_EQ(parse_where("DEPTH > BLOCK", target_).left_out,
            "where names DEPTH, which scale/wide does not have: it is left out");
}

TEST_F(WhereTest, RefusesNamesThatNoImplementationHas) {
  expect_refused("WIDHT > 1",
                 "where uses 'WIDHT', which scale/plain does not have; did you mean 'WIDTH'?");
  expect_refused("WIDTH > DEPTH",
                 "where names DEPTH, which scale/plain, scale/wide do not have and WIDTH, which "
                 "scale/plain, scale/deep do not have: no implementation has them all");
  expect_refused(
      "BLOCK >",
      "where 'BLOCK >', column 8: expected a number, a name, a label, a function or '(', "
      "found the end");
}

TEST_F(WhereTest, RefusesLabelsOutOfPlace) {
  Family family;
  family.operation.name = "scale";
  family.operation.dimensions = {{"n", "", 64, 64}};
  family.operation.hooks.push_back({"epilogue", "", {}});
  family.implementations = {with_parameters("plain", {"BLOCK"}),
                            with_parameters("wide", {"BLOCK"})};
  family.implementations[0].parameters[0].values = {"rows", "columns"};
  target_ = choose_target(std::move(family), "scale/plain");
  expect_refused("BLOCK == 'rosw'",
                 "where 'BLOCK == 'rosw'', for scale/plain: 'BLOCK' is never 'rosw'; did you mean "
                 "'rows'?");
  expect_refused("BLOCK",
                 "where 'BLOCK', for scale/plain: a label stands where a number is needed");
  expect_refused("'rows'",
                 "where ''rows'', for scale/plain: a label stands where a number is needed");
  expect_refused("n == 'rows'",
                 "where 'n == 'rows'', for scale/plain: 'n' holds a number, not a label");
  EXPECT_EQ(kept("BLOCK == 'rows'"), std::vector<std::string>{"plain"});
  EXPECT_EQ(kept("epilogue == 'anything'"), std::vector<std::string>{"plain"});
  EXPECT_EQ(kept("device.kind == 'host'"), std::vector<std::string>{"plain"});
  // Right for one of two.
  target_.implementations = {&target_.family->implementations[1],
                             &target_.family->implementations[0]};
  EXPECT_EQ(kept("BLOCK == 'rows'"), (std::vector<std::string>{"wide", "plain"}));
}

}  // namespace
}  // namespace tilewright
