// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tilewright/runtime.hpp"

namespace tilewright {

enum class Transpose { no, yes };

// How matrices lie in memory. Leading dimensions count elements from one row to the next in
// row_major, from one column to the next in column_major, as BLAS does.
enum class MatrixOrder { row_major, column_major };

// What all calls of a Gemm have in common.
struct GemmOptions {
  DeviceSelector device = {};
  MatrixOrder order = MatrixOrder::row_major;
  std::string epilogue = {};              // name of a snippet (docs/hooks.md); row_major only
  std::string implementation = {};        // "blocked" alone; empty: whichever is fastest
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;
};

// C = epilogue(alpha · op(A) · op(B) + beta · C), FP32: op(A) is m × k, op(B) is k × n, C is m × n;
// op transposes or not. `batch` of them, their matrices `stride` elements apart.
struct GemmCall {
  Transpose transpose_a = Transpose::no;  // yes: A is stored as k × m
  Transpose transpose_b = Transpose::no;  // yes: B is stored as n × k
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  float alpha = 1;
  const float* a = nullptr;
  std::int64_t lda = 0;  // 0: no gaps; so ldb and ldc
  const float* b = nullptr;
  std::int64_t ldb = 0;
  float beta = 0;  // 0: C is not read
  float* c = nullptr;
  std::int64_t ldc = 0;
  std::int64_t batch = 1;
  std::optional<std::int64_t> stride_a = {};  // nothing: no gaps; 0: all share one
  std::optional<std::int64_t> stride_b = {};
  std::optional<std::int64_t> stride_c = {};
  std::span<const Operand> epilogue = {};  // the snippet's arguments, in its order
};

// Tuned matrix products: each size has its own best kernel, looked up once and found again without
// a lock. Safe to use from many threads. Shares what it needs with the runtime and may outlive it.
class Gemm {
 public:
  // Throws as Runtime::resolve.
  explicit Gemm(const Runtime& runtime, GemmOptions options = {});
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) noexcept;
  ~Gemm();

  // The kernel for the call's sizes, transposes and whether beta is 0; pointers, alpha and the
  // epilogue's arguments do not matter. prepare() it before a capture, and ask it how much
  // workspace it needs. Lives as long as this. Throws as Runtime::kernel.
  const Kernel& kernel(const GemmCall& call) const;

  // Throws as Kernel::launch and Runtime::kernel.
  void launch(void* stream, const GemmCall& call, Scratch scratch = {}) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
