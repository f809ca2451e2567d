#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/peers/cases/field.hpp"
#include "tilewright/element_type.hpp"

namespace tilewright::bench {

// A number of any type of at most 8 bytes, as a library reads it through a pointer.
struct Factor {
  alignas(8) std::array<std::uint8_t, 8> bytes = {};
};

// A problem of gemm, row-major, with the factors alpha and beta of its field.
struct GemmShape {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t batch = 1;
  std::int64_t lda = 1;
  std::int64_t ldb = 1;
  std::int64_t ldc = 1;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  ElementType type_a = ElementType::float32;
  ElementType type_b = ElementType::float32;
  ElementType type_c = ElementType::float32;
  std::string precision = "float32";  // the problem's label: of products and sums
  ElementType factor_type = ElementType::float32;
  Factor alpha;
  Factor beta;             // all bytes 0, which is 0 in every type, if C is overwritten
  bool bias_gelu = false;  // whether the epilogue is the snippet of that name
};

// What the problem alone says, without its factors. Throws CannotCompete for an epilogue that no
// rival computes.
GemmShape gemm_shape(const Problem& problem);

// The same with the factors of the field's operands.
GemmShape gemm_shape(const Field& field);

// Whether the GPU computes the problem by ordinary multiply-adds, not on tensor cores: types of 32
// bits or more with their own precision. True for all operations but gemm.
bool is_of_multiply_adds(const Problem& problem);

// Fills factors of an integer type with 1, for both sides, because a library may take only 0 and 1.
// `buffers` are those of a problem of gemm.
void set_integer_factors_to_one(std::vector<PlannedBuffer>& buffers);

// The indices of the operation's arguments.
inline constexpr std::size_t kA = 0;
inline constexpr std::size_t kB = 1;
inline constexpr std::size_t kC = 2;
inline constexpr std::size_t kAlpha = 3;
inline constexpr std::size_t kBeta = 4;
inline constexpr std::size_t kBias = 5;  // the snippet's, one for each column

}  // namespace tilewright::bench
