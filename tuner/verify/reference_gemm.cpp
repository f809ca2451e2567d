// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tuner/verify/parallel.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

// Side of the squares in which a matrix is transposed, so that both sides stay in cache.
constexpr std::int64_t kSquare = 64;

// The columns of a `rows` × `columns` matrix one after another.
template <class T>
std::vector<T> transposed(const InputValues& matrix, std::int64_t rows, std::int64_t columns) {
  std::vector<T> result(static_cast<std::size_t>(rows * columns));
  parallel_ranges(columns, kSquare, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t start = 0; start < rows; start += kSquare)
      for (std::int64_t column = first; column < last; ++column)
        for (std::int64_t row = start; row < std::min(rows, start + kSquare); ++row)
          result[static_cast<std::size_t>(column * rows + row)] =
              static_cast<T>(matrix[row * columns + column]);
  });
  return result;
}

// T holds B's elements exactly; B is kept by columns because every output reads one.
template <class T>
class GemmReference : public HostReference {
 public:
  GemmReference(InputValues a, const InputValues& b, std::int64_t columns, std::int64_t terms)
      : a_(std::move(a)), b_(transposed<T>(b, terms, columns)), columns_(columns), terms_(terms) {}

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t row = index / columns_ * terms_;
    const T* column = b_.data() + index % columns_ * terms_;
    // Independent sums, added up at the end in a fixed order.
    std::array<double, 8> sums = {};
    std::int64_t k = 0;
    for (; k + 8 <= terms_; k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::int64_t i = k + static_cast<std::int64_t>(lane);
        sums[lane] += a_[row + i] * static_cast<double>(column[i]);
      }
    for (; k < terms_; ++k) sums[0] += a_[row + k] * static_cast<double>(column[k]);
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  std::int64_t multiply_adds() const override { return terms_; }
  std::int64_t row() const override { return columns_; }

 private:
  InputValues a_;
  std::vector<T> b_;
  std::int64_t columns_;
  std::int64_t terms_;
};

}  // namespace

std::unique_ptr<HostReference> make_gemm_reference(const ReferenceInputs& inputs) {
  const std::int64_t rows = inputs.dimension("M");
  const std::int64_t columns = inputs.dimension("N");
  const std::int64_t terms = inputs.dimension("K");
  InputValues a = inputs.input(0, rows * terms);
  const InputValues b = inputs.input(1, terms * columns);
  if (b.is_float32())
    return std::make_unique<GemmReference<float>>(std::move(a), b, columns, terms);
  return std::make_unique<GemmReference<double>>(std::move(a), b, columns, terms);
}

}  // namespace tilewright
