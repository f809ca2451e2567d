#pragma once

#include <string_view>

namespace tilewright {

// The texts of bias_gelu.cu, ceilings.cu and fourier.cu.
extern const std::string_view kBiasGeluKernel;
extern const std::string_view kCeilingKernels;
extern const std::string_view kFourierKernels;

}  // namespace tilewright
