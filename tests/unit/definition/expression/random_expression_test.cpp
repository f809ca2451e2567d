#include "tests/support/random_expression.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <optional>

#include "definition/expression/expression.hpp"
#include "definition/expression/program.hpp"

// Expressions that nobody wrote: none of them ends the process, and none takes long or much memory.

namespace tilewright {
namespace {

constexpr int kCount = 2000;

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::optional<Expression> parsed(const std::string& text) {
  try {
    return Expression::parse(text);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> value_of(const Expression& expression, const Scope& scope) {
  try {
    return expression.evaluate(scope);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> program_value_of(const Expression& expression, std::int64_t x,
                                             std::int64_t y) {
  Program program;
  program.declare("x", Program::Changes::seldom);
  program.declare("y", Program::Changes::often);
  const Program::Id id = program.add(expression);
  Program::Evaluation evaluation(program);
  evaluation.set(program.place_of("x"), x);
  evaluation.settle();
  evaluation.set(program.place_of("y"), y);
  evaluation.work_out(program.steps_for({id}));
  const Program::Result& result = evaluation[id];
  return result.is_known ? std::optional(result.number) : std::nullopt;
}

class RandomExpressions : public testing::Test {
 protected:
  ~RandomExpressions() override {
    EXPECT_LT(std::chrono::steady_clock::now() - start_, std::chrono::seconds(60));
    EXPECT_LT(peak_kib() - before_, 1 << 20);
  }

  RandomExpression random_{20'261'129};

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  long before_ = peak_kib();
};

TEST_F(RandomExpressions, HaveTheSameValueInProgramsAndAfterParsingTheirText) {
  int with_value = 0;
  for (int i = 0; i < kCount; ++i) {
    const std::string text = random_.text(1 + i % 5);
    const std::optional<Expression> expression = parsed(text);
    if (!expression) continue;
    for (const auto& [x, y] : {std::pair(3, 7), std::pair(-4, 0), std::pair(0, 1 << 30)}) {
      const Settings values = {{"x", x}, {"y", y}};
      const auto value = value_of(*expression, scope_over({&values}));
      EXPECT_EQ(program_value_of(*expression, x, y), value) << text;
      with_value += value ? 1 : 0;
    }
  }
  EXPECT_GT(with_value, kCount);  // of three times as many
}

TEST_F(RandomExpressions, AreReadOrRefusedIfTheyAreDamaged) {
  const Settings values = {{"x", 3}, {"y", 7}};
  const Scope scope = scope_over({&values});
  int refused = 0;
  for (int i = 0; i < kCount; ++i) {
    const std::string text = random_.damaged(random_.text(1 + i % 6));
    const std::optional<Expression> expression = parsed(text);
    refused += expression ? 0 : 1;
    if (expression) value_of(*expression, scope);
    try {
      const Expression real = Expression::parse_real(text);
      real_value(real, scope, [](std::string_view) { return std::nullopt; });
    } catch (const ExpressionError& error) {
      EXPECT_LT(std::string_view(error.what()).size(), 500U);
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, kCount - 100);
}

// `a` and `b` of what was there before stand in each that follows.
TEST_F(RandomExpressions, OfTermsThatUseTermsAreReadOrRefused) {
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    Terms terms;
    try {
      for (int j = 0; j < 40; ++j) {
        const std::string former = j == 0 ? "x" : "t" + std::to_string(j - 1);
        const std::string text = random_.text(1 + i % 2) + " + " + former + " * " + former;
        terms.emplace("t" + std::to_string(j), Expression::parse(text, terms));
      }
    } catch (const ExpressionError&) {
      ++refused;
    }
    EXPECT_LT(terms.size(), 13U);  // 2^12 characters
  }
  EXPECT_EQ(refused, 200);
}

}  // namespace
}  // namespace tilewright
