#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/compare_elements.h"
#include "tuner/verify/fill.hpp"
#include "tuner/verify/reference.hpp"

// Sums of products in every floating-point type, with its default fill: what a correct kernel may
// do, and what it must not. docs/measurement.md derives the bounds.

namespace tilewright {
namespace {

using elements::Findings;
using elements::Right;
using elements::Rules;

constexpr std::int64_t kSide = 20;
constexpr std::int64_t kOutputs = kSide * kSide;
constexpr std::int64_t kLengths[] = {64, 333, 1000};

template <ElementType kType, ElementType kSums>
struct Case {
  static constexpr ElementType type = kType;
  static constexpr ElementType sums = kSums;
  using T = std::tuple_element_t<static_cast<std::size_t>(kType), ElementTypes>;
  using Sum = std::tuple_element_t<static_cast<std::size_t>(kSums), ElementTypes>;
};

// Adds up in the order given, each product and each sum rounded to Sum. The rounding mode is that
// of the thread.
template <class Sum>
[[gnu::noinline]] Sum added(const std::vector<double>& products) {
  volatile Sum sum = 0;
  for (const double product : products) {
    const volatile auto rounded = static_cast<Sum>(product);
    sum = sum + rounded;
  }
  return sum;
}

template <class Sum>
Sum added_in_pairs(std::vector<Sum> values) {
  while (values.size() > 1) {
    if (values.size() % 2 == 1) values.push_back(0);
    for (std::size_t i = 0; 2 * i < values.size(); ++i)
      values[i] = values[2 * i] + values[2 * i + 1];
    values.resize(values.size() / 2);
  }
  return values[0];
}

// The next value of T towards zero, or the value itself.
template <class T>
double truncated(double value) {
  using std::nextafter;
  const T nearest(static_cast<T>(value));
  const bool is_outside = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return static_cast<double>(is_outside ? nextafter(nearest, T(0.0)) : nearest);
}

template <class C>
class Tolerance : public testing::Test {
 protected:
  using T = typename C::T;
  using Sum = typename C::Sum;

  void use(std::int64_t terms) {
    terms_ = terms;
    buffers_ = {make_buffer("a", kSide * terms, C::type), make_buffer("b", terms * kSide, C::type),
                make_buffer("c", kOutputs, C::type, ArgumentRole::output)};
    for (PlannedBuffer& buffer : buffers_) buffer.fill = default_fill(C::type);
    data_ = {fill_buffer(buffers_[0], 0, 7), fill_buffer(buffers_[1], 1, 7)};
    problem_ = {"gemm", {{"M", kSide}, {"N", kSide}, {"K", terms}}};
    reference_ = make_reference("gemm", problem_, buffers_, data_);
  }

  std::vector<double> products(std::int64_t output) const {
    std::vector<double> all;
    for (std::int64_t k = 0; k < terms_; ++k)
      all.push_back(
          static_cast<double>(load_element<T>(data_[0].data(), output / kSide * terms_ + k)) *
          static_cast<double>(load_element<T>(data_[1].data(), k * kSide + output % kSide)));
    return all;
  }

  Findings judge(const std::vector<double>& outputs, bool is_rounded = false) const {
    std::vector<std::uint8_t> bytes(outputs.size() * sizeof(T));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      store_element(bytes.data(), static_cast<std::int64_t>(i), static_cast<T>(outputs[i]));
    // Products of normal numbers are three times as large as those of uniform ones.
    const double size = default_fill(C::type).kind == Fill::Kind::normal ? 3 : 1;
    Rules rules = {size * static_cast<double>(terms_), 1, false, is_rounded};
    rules.sums = facts_of(C::sums).epsilon;
    const auto right = [&](std::int64_t i) {
      const double value = reference_->at(2, i);
      return Right{i, is_rounded ? static_cast<double>(static_cast<T>(value)) : value};
    };
    return elements::compare_elements<T>(bytes.data(), right, 0, kOutputs, rules);
  }

  template <class Value>
  std::vector<double> outputs(const Value& value) const {
    std::vector<double> all;
    for (std::int64_t i = 0; i < kOutputs; ++i)
      all.push_back(static_cast<double>(value(products(i))));
    return all;
  }
  std::vector<double> right_outputs() const { return outputs(added<Sum>); }

  std::int64_t terms_ = 0;

 private:
  Problem problem_;
  std::vector<PlannedBuffer> buffers_;
  ArgumentData data_;
  std::unique_ptr<HostReference> reference_;
};

using enum ElementType;
using Cases =
    testing::Types<Case<float16, float32>, Case<bfloat16, float32>, Case<float8_e4m3, float32>,
                   Case<float8_e5m2, float32>, Case<float32, float32>, Case<float64, float64>,
                   Case<float32, float64>, Case<float64, float32>>;
TYPED_TEST_SUITE(Tolerance, Cases);

TYPED_TEST(Tolerance, EveryLegalOrderIsRight) {
  using S = typename TypeParam::Sum;
  for (const std::int64_t terms : kLengths) {
    this->use(terms);
    const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const std::vector<std::vector<double>> orders = {
        this->right_outputs(), this->outputs([&](std::vector<double> all) {
          std::ranges::sort(all, by_size);
          return added<S>(all);
        }),
        this->outputs([&](std::vector<double> all) {
          std::ranges::sort(all, by_size);
          std::ranges::reverse(all);
          return added<S>(all);
        }),
        this->outputs([](std::vector<double> all) {
          std::ranges::reverse(all);
          return added_in_pairs(std::vector<S>(all.begin(), all.end()));
        })};
    double worst = 0;
    for (const std::vector<double>& outputs : orders) {
      const Findings findings = this->judge(outputs);
      worst = std::max(worst, findings.worst_ratio);
      EXPECT_TRUE(findings.is_right() && this->judge(outputs, true).is_right())
          << "order " << &outputs - orders.data() << ", terms " << terms << ": "
          << findings.worst_ratio << " of what is allowed";
    }
    this->RecordProperty("of_what_is_allowed_" + std::to_string(terms), std::to_string(worst));
  }
}

TYPED_TEST(Tolerance, AMissingTermIsFound) {
  for (const std::int64_t terms : kLengths) {
    this->use(terms);
    const auto wrong = this->outputs([](std::vector<double> all) {
      all.pop_back();
      return added<typename TypeParam::Sum>(all);
    });
    EXPECT_GT(this->judge(wrong).wrong, 0) << terms;
    EXPECT_GT(this->judge(wrong, true).wrong, 0) << terms;
    if (TypeParam::type != float8_e4m3 && TypeParam::type != float8_e5m2) {
      EXPECT_GT(this->judge(wrong).wrong, kOutputs / 4) << terms;
    }
  }
}

TYPED_TEST(Tolerance, TwoOutputsThatChangedPlacesAreFound) {
  for (const std::int64_t terms : kLengths) {
    this->use(terms);
    std::vector<double> wrong = this->right_outputs();
    std::swap(wrong[0], wrong[1]);
    EXPECT_EQ(this->judge(wrong).wrong, 2) << terms;
  }
}

// The output, if it has fewer bits than the sums, and otherwise the sums.
TYPED_TEST(Tolerance, RoundingTowardsZeroIsFound) {
  const bool is_narrower = facts_of(TypeParam::type).epsilon > facts_of(TypeParam::sums).epsilon;
  for (const std::int64_t terms : kLengths) {
    if (!is_narrower && terms < 1000) continue;
    this->use(terms);
    if (!is_narrower) std::fesetround(FE_TOWARDZERO);
    std::vector<double> wrong = this->right_outputs();
    std::fesetround(FE_TONEAREST);
    if (is_narrower)
      for (double& value : wrong) value = truncated<typename TypeParam::T>(value);
    EXPECT_GT(this->judge(wrong).wrong, kOutputs / 8) << terms;
  }
}

// In 16 bits towards zero at each step.
TYPED_TEST(Tolerance, ASumOf16BitsIsFound) {
  using Narrow = std::conditional_t<TypeParam::type == bfloat16, BFloat16, Float16>;
  for (const std::int64_t terms : kLengths) {
    this->use(terms);
    const auto wrong = this->outputs([](const std::vector<double>& all) {
      double sum = 0;
      for (const double product : all) sum = truncated<Narrow>(sum + product);
      return sum;
    });
    EXPECT_GT(this->judge(wrong).wrong, 0) << terms;
    EXPECT_GT(this->judge(wrong, true).wrong, 0) << terms;
    if (terms == 1000) {
      EXPECT_GT(this->judge(wrong).wrong, kOutputs / 4);
    }
  }
}

TEST(ToleranceRange, BeyondTheGreatestValueInfinityIsRight) {
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
