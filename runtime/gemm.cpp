#include "tilewright/gemm.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/typed_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> kDimensions = {"M",   "N",   "K",        "batch",    "lda",
                                              "ldb", "ldc", "stride_a", "stride_b", "stride_c"};

constexpr std::array<const char*, 5> kPrecisionNames = {"float32", "float64", "tf32", "float16",
                                                        "int32"};

// The operation's defaults, of the precision and of C's type.
Precision usual_precision(ElementType a, ElementType b) {
  if (a == ElementType::float64 || b == ElementType::float64) return Precision::float64;
  return a == ElementType::int8 && b == ElementType::int8 ? Precision::int32 : Precision::float32;
}
ElementType usual_c(ElementType a, ElementType b) {
  if (size_of(a) > 1) return a;
  if (size_of(b) > 1) return b;
  return b == ElementType::int8 ? ElementType::int32 : ElementType::bfloat16;
}

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
  if (!call.precision) call.precision = usual_precision(call.a.type(), call.b.type());
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

// Which of the operation's choices a call has, as a number for KernelsBySize: a byte for each type
// and one for the rest.
std::int64_t number_of(const GemmCall& call) {
  const std::int64_t rest = (call.transpose_a == Transpose::yes ? 1 : 0) +
                            (call.transpose_b == Transpose::yes ? 2 : 0) +
                            (call.beta != 0 ? 4 : 0) + 8 * static_cast<int>(*call.precision);
  const auto byte = [](ElementType type) { return static_cast<std::int64_t>(type); };
  return rest | byte(call.a.type()) << 8 | byte(call.b.type()) << 16 | byte(call.c.type()) << 24;
}

// What the number stands for. What is as usual is left out, so definitions and bundles from before
// there were types serve float32.
Settings gemm_settings(std::int64_t number) {
  const auto type = [&](int bits) { return static_cast<ElementType>(number >> bits & 0xFF); };
  const auto label = [&](int bit) { return Value((number & bit) != 0 ? "yes" : "no"); };
  Settings settings = {
      {"transpose_a", label(1)}, {"transpose_b", label(2)}, {"accumulate", label(4)}};
  const ElementType a = type(8), b = type(16), c = type(24);
  if (a != ElementType::float32) settings["type_a"] = to_text(a);
  if (b != a) settings["type_b"] = to_text(b);
  if (c != usual_c(a, b)) settings["type_c"] = to_text(c);
  const auto precision = static_cast<Precision>(number >> 3 & 0xF);
  if (precision != usual_precision(a, b))
    settings["precision"] = kPrecisionNames.at(static_cast<std::size_t>(precision));
  return settings;
}

// Rounded to the type of the kernel's argument. Throws InputError if that is an integer type and
// does not hold the value.
Operand scalar_of(const KernelArgument& argument, double value) {
  if (argument.type == ElementType::float64) return value;
  if (argument.type == ElementType::int32) {
    const bool fits = value >= -0x1p31 && value < 0x1p31 && value == std::floor(value);
    if (!fits)
      throw InputError(fmt::format(
          "gemm: {} is {}; where C is int32, it is a whole number of int32", argument.name, value));
    return static_cast<std::int32_t>(value);
  }
  return static_cast<float>(value);
}

}  // namespace

class Gemm::State {
 public:
  State(const Runtime& runtime, const GemmOptions& options)
      : order_(checked(options).order),
        kernels_(runtime.resolve(request_of("gemm", options), kDimensions, gemm_settings)) {}

  GemmCall in_order(const GemmCall& call) const { return completed(call, order_); }

  // For a row-major call.
  const Kernel& kernel(const GemmCall& call) const {
    return kernels_.at({call.m, call.n, call.k, call.batch, call.lda, call.ldb, call.ldc,
                        *call.stride_a, *call.stride_b, *call.stride_c, number_of(call)});
  }

 private:
  static const GemmOptions& checked(const GemmOptions& options) {
    if (options.order == MatrixOrder::column_major && !options.epilogue.empty())
      throw InputError(
          "gemm: an epilogue needs a row-major C; it cannot be used with column_major");
    return options;
  }

  MatrixOrder order_;
  KernelsBySize kernels_;
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
  constexpr std::size_t kAlpha = 3, kBeta = 4;  // their indices among the arguments
  const GemmCall plain = state_->in_order(call);
  const Kernel& kernel = state_->kernel(plain);
  const OperandList operands(
      std::array<Operand, 5>{plain.a, plain.b, plain.c,
                             scalar_of(argument_at(kernel, kAlpha), plain.alpha),
                             scalar_of(argument_at(kernel, kBeta), plain.beta)},
      plain.epilogue);
  kernel.launch(stream, operands.all(), scratch);
}

}  // namespace tilewright
