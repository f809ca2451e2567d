#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "tuner/backend/parallel.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

// A matrix is packed in squares of this side, so that reads and writes stay in cache.
constexpr std::int64_t kSquare = 64;

// Where the rows of op(A), or the columns of op(B), lie in a batch. Distances are in elements.
struct Layout {
  std::int64_t matrices;  // 1 if the whole batch shares one
  std::int64_t next_matrix;
  std::int64_t vectors;
  std::int64_t terms;
  std::int64_t next_vector;
  std::int64_t next_term;

  std::int64_t elements() const {
    return (matrices - 1) * next_matrix + (vectors - 1) * next_vector + (terms - 1) * next_term + 1;
  }
};

// Packs all vectors of all matrices, each contiguously.
template <class T>
std::vector<T> packed(const InputValues& values, const Layout& layout) {
  const std::int64_t vectors = layout.matrices * layout.vectors;
  std::vector<T> result(static_cast<std::size_t>(vectors * layout.terms));
  parallel_ranges(vectors, kSquare, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t start = 0; start < layout.terms; start += kSquare)
      for (std::int64_t vector = first; vector < last; ++vector) {
        const std::int64_t offset = vector / layout.vectors * layout.next_matrix +
                                    vector % layout.vectors * layout.next_vector;
        for (std::int64_t k = start; k < std::min(layout.terms, start + kSquare); ++k)
          result[static_cast<std::size_t>(vector * layout.terms + k)] =
              static_cast<T>(values[offset + k * layout.next_term]);
      }
  });
  return result;
}

// The problem's dimensions and choices, with the defaults of a plain product.
struct Shape {
  explicit Shape(const ReferenceInputs& inputs)
      : M(inputs.dimension("M")),
        N(inputs.dimension("N")),
        K(inputs.dimension("K")),
        batch(inputs.dimension_or("batch", 1)),
        ldc(inputs.dimension_or("ldc", N)),
        stride_c(inputs.dimension_or("stride_c", M * ldc)) {
    const bool flips_a = inputs.choice_or("transpose_a", "no") == "yes";
    const bool flips_b = inputs.choice_or("transpose_b", "no") == "yes";
    const std::int64_t lda = inputs.dimension_or("lda", flips_a ? M : K);
    const std::int64_t ldb = inputs.dimension_or("ldb", flips_b ? K : N);
    const std::int64_t stride_a = inputs.dimension_or("stride_a", (flips_a ? K : M) * lda);
    const std::int64_t stride_b = inputs.dimension_or("stride_b", (flips_b ? N : K) * ldb);
    a = {stride_a == 0 ? 1 : batch, stride_a, M, K, flips_a ? 1 : lda, flips_a ? lda : 1};
    b = {stride_b == 0 ? 1 : batch, stride_b, N, K, flips_b ? ldb : 1, flips_b ? 1 : ldb};
  }

  std::int64_t elements_of_c() const { return (batch - 1) * stride_c + (M - 1) * ldc + N; }
  bool has_gaps() const { return ldc > N || (batch > 1 && stride_c > (M - 1) * ldc + N); }

  std::int64_t M, N, K, batch, ldc, stride_c;
  Layout a{}, b{};
};

// T holds the elements of A and B exactly.
template <class T>
class GemmReference : public HostReference {
 public:
  GemmReference(const ReferenceInputs& inputs, const Shape& shape, const InputValues& a,
                const InputValues& b)
      : shape_(shape),
        a_(packed<T>(a, shape.a)),
        b_(packed<T>(b, shape.b)),
        alpha_(inputs.scalar_or("alpha", 1)),
        beta_(inputs.choice_or("accumulate", "no") == "yes" ? inputs.scalar_or("beta", 1) : 0) {
    if (beta_ != 0 || shape.has_gaps()) before_ = inputs.input(2, shape.elements_of_c());
  }

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t matrix = shape_.batch > 1 ? index / shape_.stride_c : 0;
    const std::int64_t place = index - matrix * shape_.stride_c;
    const std::int64_t row = place / shape_.ldc;
    const std::int64_t column = place % shape_.ldc;
    if (row >= shape_.M || column >= shape_.N) return (*before_)[index];
    const double product = alpha_ * dot(vector(a_, shape_.a, matrix, row),
                                        vector(b_, shape_.b, matrix, column), shape_.K);
    return beta_ == 0 ? product : product + beta_ * (*before_)[index];
  }
  std::int64_t multiply_adds() const override { return shape_.K; }
  std::int64_t row() const override { return shape_.ldc; }

 private:
  static const T* vector(const std::vector<T>& all, const Layout& layout, std::int64_t matrix,
                         std::int64_t number) {
    const std::int64_t first = layout.matrices == 1 ? 0 : matrix * layout.vectors;
    return all.data() + (first + number) * layout.terms;
  }

  static double dot(const T* a, const T* b, std::int64_t terms) {
    // Independent sums, which are added at the end in a fixed order.
    std::array<double, 8> sums = {};
    std::int64_t k = 0;
    for (; k + 8 <= terms; k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::int64_t i = k + static_cast<std::int64_t>(lane);
        sums[lane] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      }
    for (; k < terms; ++k) sums[0] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  Shape shape_;
  std::vector<T> a_;
  std::vector<T> b_;
  double alpha_;
  double beta_;
  std::optional<InputValues> before_;
};

}  // namespace

// C = alpha · op(A) · op(B) + beta · C. Defaults are in parentheses. Inputs are A, B and, if it is
// used, the earlier C, which gaps between rows and matrices keep. Dimensions are M, N, K, batch
// (1), lda, ldb, ldc, stride_a, stride_b, stride_c (no gaps). Choices are transpose_a, transpose_b
// and accumulate ("no": without beta · C). Scalars are alpha and beta (1).
std::unique_ptr<HostReference> make_gemm_reference(const ReferenceInputs& inputs) {
  const Shape shape(inputs);
  const InputValues a = inputs.input(0, shape.a.elements());
  const InputValues b = inputs.input(1, shape.b.elements());
  if (a.is_float32() && b.is_float32())
    return std::make_unique<GemmReference<float>>(inputs, shape, a, b);
  return std::make_unique<GemmReference<double>>(inputs, shape, a, b);
}

}  // namespace tilewright
