#include "tilewright/gemm.hpp"

#include "runtime/operations/product_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
template <>
struct CallTraits<GemmCall> : AnyProduct {
  static constexpr const char* kOperation = "gemm";

  static Settings choices(const GemmOptions& options) {
    if (options.order == MatrixOrder::column_major && !options.epilogue.empty())
      throw InputError(
          "gemm: an epilogue needs a row-major C; it cannot be used with column_major");
    return {};
  }

  // The call in row-major order. A column-major product is the row-major product of the transposed
  // matrices in reverse order.
  static GemmCall completed(GemmCall call, const GemmOptions& options) {
    if (options.order == MatrixOrder::row_major) return call;
    std::swap(call.transpose_a, call.transpose_b);
    std::swap(call.m, call.n);
    std::swap(call.a, call.b);
    std::swap(call.lda, call.ldb);
    std::swap(call.stride_a, call.stride_b);
    return call;
  }

  static auto sizes(const GemmCall& call) {
    return std::to_array<Size>({{"M", call.m},
                                {"N", call.n},
                                {"K", call.k},
                                {"batch", call.batch},
                                {"lda", unless_zero(call.lda)},
                                {"ldb", unless_zero(call.ldb)},
                                {"ldc", unless_zero(call.ldc)},
                                {"stride_a", or_default(call.stride_a)},
                                {"stride_b", or_default(call.stride_b)},
                                {"stride_c", or_default(call.stride_c)}});
  }

  // A byte for each type, one for the precision, and one for the rest.
  static std::int64_t number(const GemmCall& call) {
    const auto byte = [](ElementType type) { return static_cast<std::int64_t>(type); };
    return (call.transpose_a == Transpose::yes ? 1 : 0) |
           (call.transpose_b == Transpose::yes ? 2 : 0) | (call.beta != 0 ? 4 : 0) |
           number_of(call.precision) << 8 | byte(call.a.type()) << 16 | byte(call.b.type()) << 24 |
           byte(call.c.type()) << 32;
  }

  // Where all is of float32, types are left out, so definitions and bundles from before there were
  // types serve it.
  static Settings settings(std::int64_t number) {
    const auto label = [&](int bit) { return Value((number & bit) != 0 ? "yes" : "no"); };
    const auto byte = [&](int place) { return static_cast<std::size_t>(number >> place & 0xFF); };
    Settings settings = {
        {"transpose_a", label(1)}, {"transpose_b", label(2)}, {"accumulate", label(4)}};
    const std::size_t precision = byte(8);
    const bool is_float32 = number >> 16 == 0;
    static_assert(static_cast<int>(ElementType::float32) == 0);
    if (!is_float32)
      for (const auto& [name, place] :
           {std::pair("type_a", 16), std::pair("type_b", 24), std::pair("type_c", 32)})
        settings[name] = to_text(static_cast<ElementType>(byte(place)));
    const bool is_usual = precision == 1 + static_cast<std::size_t>(Precision::float32);
    if (precision != 0 && !(is_float32 && is_usual))
      settings["precision"] = precision_name(precision);
    return settings;
  }

  static std::array<Operand, 5> operands(const GemmCall& call, const Kernel& kernel) {
    return {call.a, call.b, call.c, scalar_of(kernel, kOperation, kAlpha, call.alpha),
            scalar_of(kernel, kOperation, kBeta, call.beta)};
  }
};

template class Typed<GemmCall, GemmOptions>;

}  // namespace tilewright
