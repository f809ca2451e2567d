#include <gtest/gtest.h>

#include <random>

#include "tests/support/brute_force.hpp"
#include "tests/unit/tuner/space/example.hpp"
#include "tilewright/error.hpp"
#include "tuner/space/space.hpp"

// Propagation against brute force on spaces with random parameters and rules: divisions by zero,
// overflow, labels where numbers should be, and logic that skips them.
namespace tilewright {
namespace {

using test::BruteForce;

constexpr int kSpaces = 4000;
const Settings kProblem = {{"N", 24}, {"boundary", "zero"}};

class RandomSpace {
 public:
  explicit RandomSpace(std::uint64_t seed) : random_(seed) {}

  Implementation make() {
    Implementation implementation = test::plain();
    const std::size_t parameters = 1 + below(6);
    for (std::size_t i = 0; i < parameters; ++i)
      implementation.parameters.push_back(parameter("P" + std::to_string(i)));
    for (Parameter& parameter : implementation.parameters)
      if (one_in(6)) parameter.active = Expression::parse(truth(2));
    const std::size_t constraints = below(6);
    for (std::size_t i = 0; i < constraints; ++i)
      implementation.constraints.push_back({Expression::parse(truth(3)), std::to_string(i)});
    return implementation;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  std::string pick(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  Parameter parameter(const std::string& name) {
    std::vector<Value> values;
    if (one_in(5)) {
      values = {"zero", "wrap"};
      labels_.push_back(name);
    } else {
      numbers_.push_back(name);
      const bool is_usual = !one_in(4);
      const std::size_t count = 1 + below(4);
      std::int64_t value = is_usual ? 1 : -2;
      for (std::size_t i = 0; i < count; ++i) {
        values.emplace_back(value);
        value = one_in(3) ? value * 3 + 1 : value + 1;
        if (one_in(60)) value = 3037000500;  // its square does not fit
      }
    }
    Value standard = values[below(values.size())];
    return test::parameter(name, std::move(values), std::move(standard));
  }

  std::string number(int depth) {
    if (depth == 0 || one_in(4)) {
      if (one_in(40) && !labels_.empty()) return pick(labels_);
      if (!numbers_.empty() && !one_in(5)) return pick(numbers_);
      return one_in(4) ? "N" : std::to_string(below(9));
    }
    const std::string a = number(depth - 1);
    const std::string b = number(depth - 1);
    switch (below(10)) {
      case 0:
        return pick({"min(", "max(", "ceil_div("}) + a + ", " + b + ")";
      case 1:
        return "(" + truth(depth - 1) + " ? " + a + " : " + b + ")";
      case 2:
        return pick({"-(", "abs("}) + a + ")";
      case 3:
        return "(" + truth(depth - 1) + ")";
      default:
        return "(" + a + pick({" + ", " * ", " - ", " * ", " / ", " % "}) + b + ")";
    }
  }

  std::string label(int depth) {
    if (depth > 0 && one_in(4))
      return "(" + truth(depth - 1) + " ? " + label(depth - 1) + " : " +
             (one_in(8) ? number(0) : label(depth - 1)) + ")";
    if (labels_.empty() || one_in(3)) return pick({"'zero'", "'wrap'", "boundary"});
    return pick(labels_);
  }

  std::string truth(int depth) {
    if (depth > 0 && one_in(3))
      return "(" + truth(depth - 1) + pick({" && ", " || "}) + truth(depth - 1) + ")";
    if (depth > 0 && one_in(9)) return "!(" + truth(depth - 1) + ")";
    if (!labels_.empty() && one_in(5)) return label(depth) + pick({" == ", " != "}) + label(depth);
    if (one_in(4)) return number(depth) + " % " + number(depth) + " == 0";
    return number(depth) + pick({" < ", " <= ", " > ", " >= ", " != ", " <= "}) + number(depth);
  }

  std::mt19937_64 random_;
  std::vector<std::string> numbers_;
  std::vector<std::string> labels_;
};

std::string describe(const Implementation& implementation) {
  std::string text;
  for (const Parameter& parameter : implementation.parameters) {
    text += parameter.name + ':';
    for (const Value& value : parameter.values) text += ' ' + to_text(value);
    if (parameter.active) text += " active if " + parameter.active->text();
    text += "; ";
  }
  for (const Constraint& constraint : implementation.constraints)
    text += constraint.require.text() + "; ";
  return text;
}

void expect_equal(const Space& space, const BruteForce& expected) {
  std::vector<Configuration> legal;
  for (std::size_t i = 0; i < space.legal.size(); ++i) legal.push_back(space.legal[i]);
  EXPECT_EQ(legal, expected.satisfying);
  EXPECT_EQ(space.satisfying, static_cast<std::int64_t>(expected.satisfying.size()));
  std::map<std::string, std::int64_t> cuts;
  for (const Cut& cut : space.cuts) {
    cuts[cut.rule] = cut.count;
    EXPECT_NE(cut.example.find("breaks"), std::string::npos);
  }
  EXPECT_EQ(cuts, expected.cuts);
}

TEST(SpaceProperty, PropagationIsBruteForce) {
  int with_results = 0;
  int narrowed = 0;
  for (std::uint64_t seed = 1; seed <= kSpaces && !::testing::Test::HasFailure(); ++seed) {
    const Implementation implementation = RandomSpace(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(implementation));
    const BruteForce expected = test::brute_force(implementation, kProblem);
    const auto build = [&] {
      return build_space(test::copy(), implementation, {"copy", kProblem}, test::hopper());
    };
    if (expected.lacks_result) {
      EXPECT_THROW(build(), InputError);
      continue;
    }
    ++with_results;
    if (!expected.satisfying.empty() && !expected.cuts.empty()) ++narrowed;
    expect_equal(build(), expected);
  }
  // The random spaces are of every kind.
  EXPECT_GT(with_results, kSpaces / 3);
  EXPECT_LT(with_results, kSpaces * 9 / 10);
  EXPECT_GT(narrowed, kSpaces / 10);
}

}  // namespace
}  // namespace tilewright
