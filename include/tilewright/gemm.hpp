// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tilewright/typed.hpp"

namespace tilewright {

enum class Transpose { no, yes };

// How matrices lie in memory. As in BLAS, a leading dimension counts the elements from one row to
// the next in row_major, and from one column to the next in column_major.
enum class MatrixOrder { row_major, column_major };

// The settings that all calls of a Gemm share.
struct GemmOptions {
  DeviceSelector device = {};
  MatrixOrder order = MatrixOrder::row_major;
  std::string epilogue = {};              // name of a snippet (docs/hooks.md); row_major only
  std::string implementation = {};        // only this one, such as "blocked"; empty: the fastest
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;
};

// How products are formed and summed. tf32: float32 matrices, of whose elements 10 bits of mantissa
// may be used. float16: float16 matrices, whose sums may be kept in float16. int32: int8 matrices,
// exactly.
enum class Precision { float32, float64, tf32, float16, int32 };

// C = epilogue(alpha · op(A) · op(B) + beta · C). op(A) is m × k, op(B) is k × n, C is m × n; op
// transposes if the call says so. There are `batch` products, whose matrices lie `stride` elements
// apart. Each matrix has the type of its pointer, also of a null one: float32, float64, float16,
// bfloat16, float8_e4m3, float8_e5m2 or int8, and C also int32. int8 goes with int8, float16 and
// bfloat16. alpha and beta are rounded to float64 with the precision float64, else to float32;
// where C is int32, they must be whole.
struct GemmCall {
  Transpose transpose_a = Transpose::no;  // yes: A is stored as k × m
  Transpose transpose_b = Transpose::no;  // yes: B is stored as n × k
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  double alpha = 1;
  ConstElementPointer a = nullptr;
  std::int64_t lda = 0;  // 0: no gaps; the same for ldb and ldc
  ConstElementPointer b = nullptr;
  std::int64_t ldb = 0;
  double beta = 0;  // 0: C is not read
  ElementPointer c = nullptr;
  std::int64_t ldc = 0;
  std::int64_t batch = 1;
  std::optional<std::int64_t> stride_a = {};  // none: no gaps; 0: all products share one matrix
  std::optional<std::int64_t> stride_b = {};
  std::optional<std::int64_t> stride_c = {};
  std::span<const Operand> epilogue = {};  // the snippet's arguments, in its order
  // None: float64 if A or B is, int32 if both are int8, else float32.
  std::optional<Precision> precision = {};
};

// Tuned matrix products.
using Gemm = Typed<GemmCall, GemmOptions>;

}  // namespace tilewright
