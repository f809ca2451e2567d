// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tilewright {

// Sources of the program's own kernels: bias_gelu.cu, ceilings.cu, fourier.cu.
extern const std::string_view kBiasGeluKernel;
extern const std::string_view kCeilingKernels;
extern const std::string_view kFourierKernels;

}  // namespace tilewright
