#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "definition/manifest/manifest.hpp"
#include "definition/problem.hpp"
#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/compare.hpp"
#include "tuner/verify/expected.hpp"
#include "tuner/verify/fill.hpp"

// The comparison of kernel_templates/gemm/operation.toml, for types and precisions whose outputs or
// inputs are rounded: what a correct kernel may do, and what it must not. docs/measurement.md
// derives the bounds.

namespace tilewright {
namespace {

constexpr std::int64_t kRows = 20;
constexpr std::int64_t kElements = kRows * kRows;
constexpr std::int64_t kDepths[] = {64, 333, 1000};

// Two numbers as a kernel multiplies them.
struct Pair {
  double a;
  double b;
};
using Pairs = std::vector<Pair>;
using SumOf = std::function<double(const Pairs&)>;

// A product of the operation with its fills, as the host sees it.
class Product {
 public:
  Product(const std::vector<std::string>& types, std::int64_t terms) : terms_(terms) {
    const Operation operation = read_manifest(kManifest).operations.at(0);
    std::vector<std::string> assignments = {"M=20", "N=20", "K=" + std::to_string(terms)};
    assignments.insert(assignments.end(), types.begin(), types.end());
    problem_ = make_problem(operation, assignments, device_);
    const Scope scope = full_scope(problem_, none_, device_);
    buffers_ = plan_buffers(operation, scope);
    rules_ = plan_comparison(operation.comparison, scope);
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      data_.push_back(fill_buffer(buffers_[i], static_cast<int>(i), 7));
    std::vector<std::int64_t> all(kElements);
    std::iota(all.begin(), all.end(), 0);
    expected_ = expect(*make_reference("gemm", problem_, buffers_, data_), kC, std::move(all));
  }

  double number(int argument, std::int64_t index) const {
    const auto place = static_cast<std::size_t>(argument);
    return visit_type(buffers_[place].type, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_same_v<T, std::complex<float>>)
        return 0.0;
      else
        return static_cast<double>(load_element<T>(data_[place].data(), index));
    });
  }
  double alpha() const { return number(kAlpha, 0); }

  // alpha · sum(the pairs of each output).
  std::vector<double> outputs(const SumOf& sum) const {
    std::vector<double> values;
    for (std::int64_t output = 0; output < kElements; ++output) {
      Pairs pairs;
      for (std::int64_t k = 0; k < terms_; ++k)
        pairs.push_back(
            {number(0, output / kRows * terms_ + k), number(1, k * kRows + output % kRows)});
      values.push_back(alpha() * sum(pairs));
    }
    return values;
  }

  // How many of the outputs, rounded by `rounded`, are wrong beside the reference in float64, and
  // beside a reference kernel's, which are `rounded_right`.
  template <class T, class Round>
  std::int64_t wrong(const std::vector<double>& values, const Round& rounded) const {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i)
      store_element(bytes.data(), static_cast<std::int64_t>(i), rounded(values[i]));
    const auto right = [&](std::int64_t i) {
      return elements::Right{i, expected_.values[static_cast<std::size_t>(i)]};
    };
    return elements::compare_elements<T>(bytes.data(), right, 0, kElements, rules()).wrong;
  }

  elements::Rules rules() const {
    return {static_cast<double>(rules_.reduction),
            rules_.scale,
            rules_.reduced,
            false,
            rules_.sums,
            rules_.tolerance,
            rules_.mismatches,
            rules_.cut};
  }
  const PlannedComparison& comparison() const { return rules_; }
  const Expected& expected() const { return expected_; }
  const PlannedBuffer& c() const { return buffers_[kC]; }

 private:
  static constexpr int kC = 2, kAlpha = 3;
  static constexpr const char* kManifest =
      TILEWRIGHT_SOURCE_DIR "/kernel_templates/gemm/operation.toml";

  std::int64_t terms_;
  Device device_;
  Configuration none_;
  Problem problem_;
  std::vector<PlannedBuffer> buffers_;
  PlannedComparison rules_;
  ArgumentData data_;
  Expected expected_;
};

template <class T>
std::int64_t wrong(const Product& product, const std::vector<double>& values) {
  return product.wrong<T>(values, [](double value) { return elements::to_element<T>(value); });
}

double float_sum(const Pairs& pairs) {
  float sum = 0;
  for (const Pair& pair : pairs) sum += static_cast<float>(pair.a) * static_cast<float>(pair.b);
  return static_cast<double>(sum);
}

SumOf without_last(const SumOf& sum) {
  return [sum](Pairs pairs) {
    pairs.pop_back();
    return sum(pairs);
  };
}

// With `bits` stored bits of mantissa.
double cut(double value, int bits) {
  const unsigned lost = (1U << (23 - bits)) - 1;
  return static_cast<double>(
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) & ~lost));
}
double nearest(double value, int bits) {
  const unsigned half = 1U << (22 - bits);
  return cut(static_cast<double>(std::bit_cast<float>(
                 std::bit_cast<std::uint32_t>(static_cast<float>(value)) + half)),
             bits);
}

template <class Change>
SumOf changed(const Change& change) {
  return [change](Pairs pairs) {
    for (Pair& pair : pairs) pair = {change(pair.a), change(pair.b)};
    return float_sum(pairs);
  };
}

TEST(GemmRules, Tf32MayCutOrRoundInputsTo10Bits) {
  const SumOf cuts = changed([](double value) { return cut(value, 10); });
  const SumOf rounds = changed([](double value) { return nearest(value, 10); });
  for (const std::int64_t terms : kDepths) {
    const Product product({"precision=tf32"}, terms);
    for (const SumOf& sum : {cuts, rounds, SumOf(float_sum)}) {
      std::vector<double> values = product.outputs(sum);
      EXPECT_EQ(wrong<float>(product, values), 0) << terms;
      EXPECT_GT(wrong<float>(product, product.outputs(without_last(sum))), kElements / 4) << terms;
      std::swap(values[0], values[1]);
      EXPECT_EQ(wrong<float>(product, values), 2) << terms;
    }
    const SumOf too_few = changed([](double value) { return cut(value, 6); });
    EXPECT_GT(wrong<float>(product, product.outputs(too_few)), 0) << terms;
  }
}

TEST(GemmRules, Float32MayNotCutInputs) {
  const SumOf cuts = changed([](double value) { return cut(value, 10); });
  for (const std::int64_t terms : kDepths) {
    const Product product({}, terms);
    EXPECT_EQ(wrong<float>(product, product.outputs(float_sum)), 0);
    EXPECT_GT(wrong<float>(product, product.outputs(cuts)), kElements / 4);
  }
}

// Each product and each sum rounded to float16.
double float16_sum(const Pairs& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs)
    sum = static_cast<double>(Float16(sum + static_cast<double>(Float16(pair.a * pair.b))));
  return sum;
}

TEST(GemmRules, Float16MaySumInFloat16) {
  for (const std::int64_t terms : kDepths) {
    const Product product({"type_a=float16", "precision=float16"}, terms);
    for (const SumOf& sum : {SumOf(float16_sum), SumOf(float_sum)}) {
      std::vector<double> values = product.outputs(sum);
      EXPECT_EQ(wrong<Float16>(product, values), 0) << terms;
      EXPECT_GT(wrong<Float16>(product, product.outputs(without_last(sum))), kElements / 20)
          << terms;
      std::swap(values[0], values[1]);
      EXPECT_EQ(wrong<Float16>(product, values), 2) << terms;
    }
    const Product strict({"type_a=float16", "type_c=float32"}, terms);
    EXPECT_GT(wrong<float>(strict, strict.outputs(float16_sum)), kElements / 4) << terms;
  }
}

// A sum that loses what is below 13 stored bits of it at each step.
double sum_of_13_bits(const Pairs& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs) sum = cut(sum + pair.a * pair.b, 13);
  return sum;
}

// As tensor cores of compute capability 9.0 add 32 products to a sum: of each, what is more than 13
// bits below the greatest is cut. Sums of 256 are added in whole floats.
double sum_of_tensor_core(const Pairs& pairs) {
  constexpr std::size_t kAtOnce = 32, kWhole = 256;
  double whole = 0, sum = 0;
  for (std::size_t first = 0; first < pairs.size(); first += kAtOnce) {
    std::vector<double> addends = {sum};
    for (std::size_t i = first; i < std::min(first + kAtOnce, pairs.size()); ++i)
      addends.push_back(pairs[i].a * pairs[i].b);
    double greatest = 0;
    for (const double addend : addends) greatest = std::max(greatest, std::abs(addend));
    const double unit = greatest > 0 ? std::ldexp(1.0, std::ilogb(greatest) - 13) : 1;
    sum = 0;
    for (const double addend : addends) sum += std::trunc(addend / unit) * unit;
    if ((first + kAtOnce) % kWhole == 0) {
      whole += sum;
      sum = 0;
    }
  }
  return whole + sum;
}

TEST(GemmRules, SumsOfFloat8MayBeThoseOfTensorCores) {
  for (const char* const type : {"type_a=float8_e4m3", "type_a=float8_e5m2"})
    for (const std::int64_t terms : kDepths) {
      const Product product({type, "type_c=float32"}, terms);
      EXPECT_EQ(wrong<float>(product, product.outputs(float_sum)), 0) << terms;
      EXPECT_EQ(wrong<float>(product, product.outputs(sum_of_tensor_core)), 0) << terms;
      EXPECT_GT(wrong<float>(product, product.outputs(without_last(float_sum))), kElements / 2);
      std::vector<double> values = product.outputs(float_sum);
      std::swap(values[0], values[1]);
      EXPECT_EQ(wrong<float>(product, values), 2) << terms;
      if (terms < 1000) continue;
      EXPECT_GT(wrong<float>(product, product.outputs(sum_of_13_bits)), kElements / 20) << terms;
    }
}

TEST(GemmRules, Float8OutputsAreRoundedOnce) {
  for (const std::int64_t terms : kDepths) {
    const Product product({"type_a=bfloat16", "type_c=float8_e4m3"}, terms);
    const std::vector<double> right = product.outputs(float_sum);
    EXPECT_EQ(wrong<Float8E4M3>(product, right), 0) << terms;
    const auto zeroes = [](double value) {
      const Float8E4M3 rounded = elements::to_element<Float8E4M3>(value);
      const bool is_outside = std::abs(static_cast<double>(rounded)) > std::abs(value);
      return is_outside ? nextafter(rounded, Float8E4M3(0.0)) : rounded;
    };
    EXPECT_GT(product.wrong<Float8E4M3>(product.outputs(without_last(float_sum)), zeroes), 0);
    EXPECT_GT(wrong<Float8E4M3>(product, product.outputs([](const Pairs&) { return 0.0; })),
              kElements / 2);
  }
}

TEST(GemmRules, IntegersAreExact) {
  for (const std::int64_t terms : kDepths) {
    const Product product({"type_a=int8"}, terms);
    ASSERT_EQ(product.c().type, ElementType::int32);
    const SumOf exact = float_sum;  // below 2^24
    std::vector<double> values = product.outputs(exact);
    EXPECT_EQ(wrong<std::int32_t>(product, values), 0) << terms;
    values[17] += 1;
    EXPECT_EQ(wrong<std::int32_t>(product, values), 1) << terms;
  }
}

TEST(GemmRules, IntegersOf8BitsAreNearestAndKeptInRange) {
  for (const std::int64_t terms : kDepths) {
    const Product product({"type_a=int8", "type_c=int8"}, terms);
    const auto round = [](double value) {
      return elements::to_element<std::int8_t>(std::nearbyint(value));
    };
    const std::vector<double> right = product.outputs(float_sum);
    EXPECT_EQ(product.wrong<std::int8_t>(right, round), 0) << terms;
    EXPECT_GT(wrong<std::int8_t>(product, right), kElements / 4) << "cut, not rounded";
    const auto less = product.outputs(without_last(float_sum));
    EXPECT_GT(product.wrong<std::int8_t>(less, round), kElements / 4) << terms;
    const auto wrapped = [](double value) {
      return static_cast<std::int8_t>(static_cast<std::int64_t>(std::nearbyint(value)));
    };
    std::vector<double> beyond = right;
    beyond[5] = product.expected().values[5] + 300;
    EXPECT_GT(product.wrong<std::int8_t>(beyond, wrapped), 0) << terms;
  }
}

// Integers beside float16: weights.
TEST(GemmRules, WeightsInIntegersHaveTheToleranceOfFloat32) {
  for (const std::int64_t terms : kDepths) {
    const Product product({"type_a=float16", "type_b=int8", "type_c=float32"}, terms);
    EXPECT_EQ(wrong<float>(product, product.outputs(float_sum)), 0) << terms;
    EXPECT_GT(wrong<float>(product, product.outputs(without_last(float_sum))), kElements / 2);
  }
}

}  // namespace
}  // namespace tilewright
