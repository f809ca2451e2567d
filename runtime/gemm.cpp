#include "tilewright/gemm.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "runtime/typed_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

enum class Accumulate { no, yes };

const std::vector<std::string> kDimensions = {"M",   "N",   "K",        "batch",    "lda",
                                              "ldb", "ldc", "stride_a", "stride_b", "stride_c"};

// The number of elements from one matrix to the next.
std::int64_t stride_of(std::int64_t rows, std::int64_t leading) {
  std::int64_t stride = 0;
  if (__builtin_mul_overflow(rows, leading, &stride))
    throw InputError(
        fmt::format("gemm: {} rows with a leading dimension of {} are too large", rows, leading));
  return stride;
}

// The call in row-major order, with all fields set. A column-major product is the row-major product
// of the transposed matrices in reverse order.
GemmCall completed(GemmCall call, MatrixOrder order) {
  if (order == MatrixOrder::column_major) {
    std::swap(call.transpose_a, call.transpose_b);
    std::swap(call.m, call.n);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
    std::swap(call.stride_a, call.stride_b);
  }
  const bool is_a_transposed = call.transpose_a == Transpose::yes;
  const bool is_b_transposed = call.transpose_b == Transpose::yes;
  if (call.lda == 0) call.lda = is_a_transposed ? call.m : call.k;
  if (call.ldb == 0) call.ldb = is_b_transposed ? call.k : call.n;
  if (call.ldc == 0) call.ldc = call.n;
  if (!call.stride_a) call.stride_a = stride_of(is_a_transposed ? call.k : call.m, call.lda);
  if (!call.stride_b) call.stride_b = stride_of(is_b_transposed ? call.n : call.k, call.ldb);
  if (!call.stride_c) call.stride_c = stride_of(call.m, call.ldc);
  return call;
}

KernelRequest gemm_request(const GemmOptions& options, Transpose a, Transpose b,
                           Accumulate accumulate) {
  const auto label = [](bool is_yes) { return Value(is_yes ? "yes" : "no"); };
  KernelRequest request = request_of("gemm", options);
  request.problem["transpose_a"] = label(a == Transpose::yes);
  request.problem["transpose_b"] = label(b == Transpose::yes);
  request.problem["accumulate"] = label(accumulate == Accumulate::yes);
  return request;
}

}  // namespace

class Gemm::State {
 public:
  State(const Runtime& runtime, const GemmOptions& options) : order_(options.order) {
    if (order_ == MatrixOrder::column_major && !options.epilogue.empty())
      throw InputError(
          "gemm: an epilogue needs a row-major C; it cannot be used with column_major");
    for (const Transpose a : {Transpose::no, Transpose::yes})
      for (const Transpose b : {Transpose::no, Transpose::yes})
        for (const Accumulate accumulate : {Accumulate::no, Accumulate::yes})
          kernels_.push_back(runtime.resolve(gemm_request(options, a, b, accumulate), kDimensions));
  }

  GemmCall in_order(const GemmCall& call) const { return completed(call, order_); }

  // For a row-major call.
  const Kernel& kernel(const GemmCall& call) const {
    const std::size_t which = (call.transpose_a == Transpose::yes ? 4U : 0U) +
                              (call.transpose_b == Transpose::yes ? 2U : 0U) +
                              (call.beta != 0 ? 1U : 0U);
    return kernels_[which].at({call.m, call.n, call.k, call.batch, call.lda, call.ldb, call.ldc,
                               *call.stride_a, *call.stride_b, *call.stride_c});
  }

 private:
  MatrixOrder order_;
  std::vector<KernelsBySize> kernels_;  // by transposes and accumulation
};

Gemm::Gemm(const Runtime& runtime, const GemmOptions& options)
    : state_(std::make_unique<State>(runtime, options)) {}
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;
Gemm::~Gemm() = default;

const Kernel& Gemm::kernel(const GemmCall& call) const {
  return state_->kernel(state_->in_order(call));
}

void Gemm::launch(void* stream, const GemmCall& call, Scratch scratch) const {
  const GemmCall plain = state_->in_order(call);
  const OperandList operands(
      std::array<Operand, 5>{plain.a, plain.b, plain.c, plain.alpha, plain.beta}, plain.epilogue);
  state_->kernel(plain).launch(stream, operands.all(), scratch);
}

}  // namespace tilewright
