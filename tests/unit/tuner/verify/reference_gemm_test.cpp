#include <gtest/gtest.h>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tuner/verify/fill.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {
namespace {

TEST(GemmReference, MultipliesByHand) {
  const Problem problem{"gemm", {{"M", 2}, {"N", 3}, {"K", 2}}};
  const std::vector<PlannedBuffer> buffers = {make_buffer("a", 4), make_buffer("b", 6)};
  const ArgumentData data = {to_bytes<float>({1, 2, 3, 4}), to_bytes<float>({5, 6, 7, 8, 9, 10})};
  const auto reference = make_reference("gemm", problem, buffers, data);
  const std::vector<double> right = {21, 24, 27, 47, 54, 61};
  for (std::size_t i = 0; i < right.size(); ++i)
    EXPECT_EQ(reference->at(2, static_cast<std::int64_t>(i)), right[i]) << i;
}

template <class T>
void expect_plain_loops(ElementType type, std::int64_t M, std::int64_t N, std::int64_t K) {
  const Problem problem{"gemm", {{"M", M}, {"N", N}, {"K", K}}};
  const std::vector<PlannedBuffer> buffers = {make_buffer("a", M * K, type),
                                              make_buffer("b", K * N, type)};
  const ArgumentData data = {fill_buffer(buffers[0], 0, 3), fill_buffer(buffers[1], 1, 3)};
  const auto a = from_bytes<T>(data[0]);
  const auto b = from_bytes<T>(data[1]);
  const auto reference = make_reference("gemm", problem, buffers, data);
  for (std::int64_t i = 0; i < M * N; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < K; ++k)
      sum += static_cast<double>(a[static_cast<std::size_t>(i / N * K + k)]) *
             static_cast<double>(b[static_cast<std::size_t>(k * N + i % N)]);
    ASSERT_NEAR(reference->at(2, i), sum, 1e-12) << i;
  }
}

TEST(GemmReference, AgreesWithPlainLoops) {
  expect_plain_loops<float>(ElementType::float32, 5, 70, 131);
  expect_plain_loops<double>(ElementType::float64, 66, 3, 65);
  expect_plain_loops<float>(ElementType::float32, 1, 1, 1);
}

// A 2 × 3 times 3 × 2 twice, stored in every way, with gaps; op(A) = [1 2 3; 4 5 6] and twice that,
// op(B) = [1 0; 0 1; 1 1].
Settings gapped(const std::string& transpose_a, const std::string& transpose_b) {
  const bool flips_a = transpose_a == "yes";
  return {{"M", 2},
          {"N", 2},
          {"K", 3},
          {"batch", 2},
          {"lda", 4},
          {"ldb", 5},
          {"ldc", 3},
          {"stride_a", flips_a ? 12 : 8},
          {"stride_b", 0},
          {"stride_c", 7},
          {"transpose_a", transpose_a},
          {"transpose_b", transpose_b},
          {"accumulate", "no"}};
}

PlannedBuffer make_scalar(const std::string& name) {
  PlannedBuffer scalar = make_buffer(name, 1);
  scalar.kind = ArgumentKind::scalar;
  return scalar;
}

TEST(GemmReference, KnowsTransposesGapsBatchesAndFactors) {
  const float x = 99;  // must not count
  const std::vector<float> a = {1, 2, 3, x, 4, 5, 6, x, 2, 4, 6, x, 8, 10, 12};
  const std::vector<float> a_flipped = {1, 4, x, x, 2, 5, x,  x, 3, 6, x,
                                        x, 2, 8, x, x, 4, 10, x, x, 6, 12};
  const std::vector<float> b = {1, 0, x, x, x, 0, 1, x, x, x, 1, 1};
  const std::vector<float> b_flipped = {1, 0, 1, x, x, 0, 1, 1};
  const std::vector<float> before = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
  for (const std::string flip_a : {"no", "yes"})
    for (const std::string flip_b : {"no", "yes"})
      for (const std::string accumulate : {"no", "yes"}) {
        Settings values = gapped(flip_a, flip_b);
        values["accumulate"] = accumulate;
        const ArgumentData data = {to_bytes(flip_a == "yes" ? a_flipped : a),
                                   to_bytes(flip_b == "yes" ? b_flipped : b), to_bytes(before),
                                   to_bytes<float>({0.5F}), to_bytes<float>({2})};
        const std::vector<PlannedBuffer> buffers = {
            make_buffer("a", static_cast<std::int64_t>(data[0].size() / 4)),
            make_buffer("b", static_cast<std::int64_t>(data[1].size() / 4)),
            make_buffer("c", 12, ElementType::float32, ArgumentRole::inout), make_scalar("alpha"),
            make_scalar("beta")};
        const auto reference = make_reference("gemm", {"gemm", values}, buffers, data);
        const std::vector<double> product = {2, 2.5, 0, 5, 5.5, 0, 0, 4, 5, 0, 10, 11};
        const std::vector<bool> is_gap = {false, false, true,  false, false, true,
                                          true,  false, false, true,  false, false};
        for (std::size_t i = 0; i < product.size(); ++i) {
          const double was = static_cast<double>(before[i]);
          const double right = is_gap[i] ? was : product[i] + (accumulate == "yes" ? 2 * was : 0);
          EXPECT_EQ(reference->at(2, static_cast<std::int64_t>(i)), right)
              << i << ' ' << flip_a << flip_b << accumulate;
        }
      }
}

TEST(GemmReference, AddsInFloat64) {
  // In FP32, 1 would vanish beside 2^30.
  const Problem problem{"gemm", {{"M", 1}, {"N", 1}, {"K", 3}}};
  const std::vector<PlannedBuffer> buffers = {make_buffer("a", 3), make_buffer("b", 3)};
  const ArgumentData data = {to_bytes<float>({0x1p30F, 1, -0x1p30F}), to_bytes<float>({1, 1, 1})};
  EXPECT_EQ(make_reference("gemm", problem, buffers, data)->at(2, 0), 1.0);
}

}  // namespace
}  // namespace tilewright
