#include "tuner/cuda/libraries/cublas_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::cuda {
namespace {

// How products are formed and added up, by the problem's precision.
struct Compute {
  std::string_view precision;
  int compute;  // cublasComputeType_t
  ElementType scale;
};

constexpr auto kComputes = std::to_array<Compute>({
    {"float32", 68, ElementType::float32},  // CUBLAS_COMPUTE_32F
    {"float64", 70, ElementType::float64},  // CUBLAS_COMPUTE_64F
    {"tf32", 77, ElementType::float32},     // CUBLAS_COMPUTE_32F_FAST_TF32
    {"float16", 64, ElementType::float16},  // CUBLAS_COMPUTE_16F
    {"int32", 72, ElementType::int32},      // CUBLAS_COMPUTE_32I
});

}  // namespace

int cublas_type(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return CUDA_R_32F;
    case ElementType::float64:
      return CUDA_R_64F;
    case ElementType::float16:
      return CUDA_R_16F;
    case ElementType::bfloat16:
      return CUDA_R_16BF;
    case ElementType::float8_e4m3:
      return CUDA_R_8F_E4M3;
    case ElementType::float8_e5m2:
      return CUDA_R_8F_E5M2;
    case ElementType::int8:
      return CUDA_R_8I;
    case ElementType::int32:
      return CUDA_R_32I;
    default:
      throw LibraryError("has no products of " + to_text(type));
  }
}

CublasTypes cublas_types(const ProductTypes& types) {
  const auto found = std::ranges::find(kComputes, types.precision, &Compute::precision);
  if (found == kComputes.end()) throw LibraryError("has no precision " + types.precision);
  const bool is_of_8_bits = types.precision == "int32" && types.c == ElementType::int8;
  const ElementType scale = is_of_8_bits ? ElementType::float32 : found->scale;
  if (types.factor != scale &&
      !(scale == ElementType::float16 && types.factor == ElementType::float32))
    throw LibraryError(fmt::format("takes factors of {}, and the problem's are of {}",
                                   to_text(scale), to_text(types.factor)));
  return {cublas_type(types.a), cublas_type(types.b), cublas_type(types.c),
          cublas_type(scale),   found->compute,       scale};
}

CublasFactor::CublasFactor(const void* given, ElementType type, const CublasTypes& wanted)
    : it_(given) {
  if (type == wanted.factor) return;
  float value = 0;
  std::memcpy(&value, given, sizeof value);
  rounded_ = Float16(value);
  it_ = &rounded_;
}

}  // namespace tilewright::cuda
