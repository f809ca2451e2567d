// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include "tests/unit/verify/samples.hpp"
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

TEST(GemmReference, AddsInFloat64) {
  // In FP32, 1 would vanish beside 2^30.
  const Problem problem{"gemm", {{"M", 1}, {"N", 1}, {"K", 3}}};
  const std::vector<PlannedBuffer> buffers = {make_buffer("a", 3), make_buffer("b", 3)};
  const ArgumentData data = {to_bytes<float>({0x1p30F, 1, -0x1p30F}), to_bytes<float>({1, 1, 1})};
  EXPECT_EQ(make_reference("gemm", problem, buffers, data)->at(2, 0), 1.0);
}

}  // namespace
}  // namespace tilewright
