#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tuner/verify/compare_elements.h"
#include "tuner/verify/fill.hpp"

// Sums of products in 16 and 8 bits: what a correct kernel may do, and what it must not.

namespace tilewright {
namespace {

using elements::Findings;
using elements::Right;
using elements::Rules;

constexpr std::int64_t kOutputs = 400;
constexpr std::int64_t kTerms = 64;

template <class T>
class NarrowCompare : public testing::Test {
 protected:
  NarrowCompare() {
    const elements::FillRule rule = {elements::Filling::uniform, -1, 1};
    for (std::int64_t i = 0; i < kOutputs * kTerms; ++i)
      for (const int side : {0, 1})
        inputs_[static_cast<std::size_t>(side)].push_back(static_cast<double>(
            elements::filled_element<T>(rule, elements::stream_of(7, side), i, 1)));
  }

  double product(std::int64_t output, std::int64_t term) const {
    const auto place = static_cast<std::size_t>(output * kTerms + term);
    return inputs_[0][place] * inputs_[1][place];
  }
  double exact(std::int64_t output) const {
    double sum = 0;
    for (std::int64_t k = 0; k < kTerms; ++k) sum += product(output, k);
    return sum;
  }
  // In float32, from the last term to the first: `order` gives the terms.
  template <class Order>
  float sum(std::int64_t output, const Order& order, std::int64_t terms = kTerms) const {
    float sum = 0;
    for (std::int64_t k = 0; k < terms; ++k) sum += static_cast<float>(product(output, order(k)));
    return sum;
  }

  Findings judge(const std::vector<T>& outputs, bool expected_is_rounded = false) const {
    std::vector<std::uint8_t> bytes(outputs.size() * sizeof(T));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      store_element(bytes.data(), static_cast<std::int64_t>(i), outputs[i]);
    const Rules rules = {static_cast<double>(kTerms), 1, false, expected_is_rounded};
    const auto right = [&](std::int64_t i) {
      const double value = exact(i);
      return Right{i, expected_is_rounded ? static_cast<double>(T(value)) : value};
    };
    return elements::compare_elements<T>(bytes.data(), right, 0, kOutputs, rules);
  }
  template <class Value>
  std::vector<T> outputs(const Value& value) const {
    std::vector<T> all;
    for (std::int64_t i = 0; i < kOutputs; ++i) all.push_back(T(value(i)));
    return all;
  }

 private:
  std::array<std::vector<double>, 2> inputs_;
};

using Types = testing::Types<Float16, BFloat16, Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(NarrowCompare, Types);

constexpr auto kForwards = [](std::int64_t k) { return k; };
constexpr auto kBackwards = [](std::int64_t k) { return kTerms - 1 - k; };

TYPED_TEST(NarrowCompare, SumsInFloat32InAnyOrderRoundedOnceAreRight) {
  const auto forwards = this->outputs([&](std::int64_t i) { return this->sum(i, kForwards); });
  const auto backwards = this->outputs([&](std::int64_t i) { return this->sum(i, kBackwards); });
  for (const bool rounded : {false, true}) {
    EXPECT_TRUE(this->judge(forwards, rounded).is_right()) << rounded;
    EXPECT_TRUE(this->judge(backwards, rounded).is_right()) << rounded;
  }
}

TYPED_TEST(NarrowCompare, AMissingTermIsFound) {
  const auto wrong =
      this->outputs([&](std::int64_t i) { return this->sum(i, kForwards, kTerms - 1); });
  EXPECT_GT(this->judge(wrong).wrong, kOutputs / 3);
  EXPECT_FALSE(this->judge(wrong, true).is_right());
}

TYPED_TEST(NarrowCompare, TwoOutputsThatChangedPlacesAreFound) {
  const auto wrong =
      this->outputs([&](std::int64_t i) { return this->sum(i < 2 ? 1 - i : i, kForwards); });
  EXPECT_EQ(this->judge(wrong).wrong, 2);
}

TYPED_TEST(NarrowCompare, ARoundingTowardsZeroIsFound) {
  const auto wrong = this->outputs([&](std::int64_t i) {
    const double value = this->sum(i, kForwards);
    const TypeParam nearest(value);
    const bool is_outside = std::abs(static_cast<double>(nearest)) > std::abs(value);
    return static_cast<double>(is_outside ? nextafter(nearest, TypeParam(0.0)) : nearest);
  });
  EXPECT_GT(this->judge(wrong).wrong, kOutputs / 5);
}

TYPED_TEST(NarrowCompare, SumsInTheNarrowTypeAreFound) {
  const auto wrong = this->outputs([&](std::int64_t i) {
    TypeParam sum(0.0);
    for (std::int64_t k = 0; k < kTerms; ++k)
      sum = TypeParam(static_cast<double>(sum) + this->product(i, k));
    return static_cast<double>(sum);
  });
  EXPECT_GT(this->judge(wrong).wrong, kOutputs / 5);
  EXPECT_FALSE(this->judge(wrong, true).is_right());
}

TEST(NarrowCompareRange, BeyondTheGreatestValueInfinityIsRight) {
  const auto judge = [](double got, double expected) {
    std::vector<std::uint8_t> bytes(2);
    store_element(bytes.data(), 0, Float16(got));
    const auto right = [&](std::int64_t i) { return Right{i, expected}; };
    return elements::compare_elements<Float16>(bytes.data(), right, 0, 1, {1, 1, false}).is_right();
  };
  EXPECT_TRUE(judge(1e6, 1e6));
  EXPECT_TRUE(judge(-1e6, -1e6));
  EXPECT_FALSE(judge(1e6, -1e6));
  EXPECT_FALSE(judge(1e6, 1000));
  EXPECT_FALSE(judge(65504, 1e6));
}

}  // namespace
}  // namespace tilewright
