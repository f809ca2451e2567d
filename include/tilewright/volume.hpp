// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tilewright/convolution.hpp"

namespace tilewright {

// output[z, y, x] = epilogue(sum over k, j, i of filter[k, j, i] · volume[z + k − anchor_z, y + j −
// anchor_y, x + i − anchor_x]) for each of batch · channels volumes, which follow each other in
// memory. Volume, filter and output have one type: float32, float64, float16 or bfloat16.
struct Convolution3dCall {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t depth = 0;
  std::int64_t filter_width = 0;
  std::int64_t filter_height = 0;
  std::int64_t filter_depth = 0;
  std::int64_t channels = 1;
  std::int64_t batch = 1;
  std::int64_t pitch = 0;                     // elements from row to row; 0: the width
  std::optional<std::int64_t> anchor_x = {};  // none: filter_width / 2
  std::optional<std::int64_t> anchor_y = {};  // none: filter_height / 2
  std::optional<std::int64_t> anchor_z = {};  // none: filter_depth / 2
  ConstElementPointer volume = nullptr;
  ConstElementPointer filter = nullptr;
  ConstElementPointer filter_values = nullptr;  // both as in 2-D
  ElementPointer output = nullptr;
  std::span<const Operand> epilogue = {};  // the snippet's arguments, in its order
};

// Tuned convolutions of volumes; as Convolution2d.
using Convolution3d = Typed<Convolution3dCall, ConvolutionOptions>;

// The settings that all calls of a stencil share.
struct Stencil3dOptions {
  DeviceSelector device = {};
  StencilBoundary boundary = StencilBoundary::zero;
  std::string epilogue = {};              // name of a snippet (docs/hooks.md), for one step only
  std::string implementation = {};        // only this one, such as "march"; empty: the fastest
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;
};

// `steps` steps of a star over each of `batch` volumes, which follow each other in memory:
//   next[z, y, x] = c0 · v[z, y, x] + sum over r = 1 … radius of cx[r] · (v[z, y, x − r] + v[z, y,
//   x + r]) + cy[r] · (v[z, y − r, x] + v[z, y + r, x]) + cz[r] · (v[z − r, y, x] + v[z + r, y, x])
// Field and output have one type: float32, float64, float16 or bfloat16.
struct Stencil3dCall {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t depth = 0;
  std::int64_t radius = 1;  // 1 to 4
  std::int64_t steps = 1;   // 0 copies the field
  std::int64_t batch = 1;
  std::int64_t pitch = 0;               // elements from row to row; 0: the width
  ConstElementPointer field = nullptr;  // stays unchanged
  // In host memory, read before the launch returns: c0, then `radius` of each of cx, cy and cz. Of
  // float64 if that is the field's type, else of float32.
  ConstElementPointer coefficients = nullptr;
  ElementPointer output = nullptr;
  std::span<const Operand> epilogue = {};  // the snippet's arguments, in its order
};

// Tuned star stencils. The kernel depends on the call's sizes, steps and type, not on its pointers.
// Of several steps it may need a workspace. An epilogue with other than one step is an InputError.
using Stencil3d = Typed<Stencil3dCall, Stencil3dOptions>;

}  // namespace tilewright
