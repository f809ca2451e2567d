// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tilewright/convolution.hpp"
#include "tilewright/gemm.hpp"

namespace tilewright {

// How images lie in memory. nhwc: the channels of a pixel lie side by side. nchw: each channel is a
// plane, or a volume.
enum class ImageLayout { nhwc, nchw };

// How filters lie in memory: channels_out of them, one after another. krsc: the input channels of a
// tap lie side by side. kcrs: the taps of an input channel do.
enum class FilterLayout { krsc, kcrs };

// The settings that all calls of a ConvLayer share.
struct ConvLayerOptions {
  DeviceSelector device = {};
  ImageLayout layout = ImageLayout::nhwc;  // of image and output
  FilterLayout filter_layout = FilterLayout::krsc;
  Boundary boundary = Boundary::zero;  // the values in the padding
  // elementwise: an infinity or NaN spoils only outputs whose filter meets it, not rows beside
  // them, nor other groups.
  ConvolutionOptions::Accuracy accuracy = ConvolutionOptions::Accuracy::normwise;
  std::string epilogue = {};              // name of a snippet (docs/hooks.md)
  std::string implementation = {};        // only this one, such as "naive"; empty: the fastest
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;
};

// output = epilogue(alpha · (sum over channels and taps of filter · image) + beta · output): a
// layer with channels on both sides. The tap i of a filter stands, for the output in column x, on
// column x · stride_x − padding_x + i · dilation_x of the image, and so for rows and planes. Output
// channels are in as many groups as input channels; each group sees its own input channels.
// Images without planes have a depth of 1, signals have a height of 1, too.
//
// Image and filter have one type: float32, float64, float16, bfloat16, float8_e4m3, float8_e5m2 or
// int8. The output has the type of its pointer, also of a null one; int32 only for int8. alpha and
// beta are rounded to float64 with the precision float64, else to float32; where the output is
// int32, they must be whole.
struct ConvLayerCall {
  std::int64_t batch = 1;
  std::int64_t channels_in = 0;
  std::int64_t channels_out = 0;
  std::int64_t groups = 1;
  std::int64_t width = 0;
  std::int64_t height = 1;
  std::int64_t depth = 1;
  std::int64_t filter_width = 1;
  std::int64_t filter_height = 1;
  std::int64_t filter_depth = 1;
  std::int64_t stride_x = 1;
  std::int64_t stride_y = 1;
  std::int64_t stride_z = 1;
  std::int64_t dilation_x = 1;
  std::int64_t dilation_y = 1;
  std::int64_t dilation_z = 1;
  std::int64_t padding_x = 0;  // columns before an image
  std::int64_t padding_y = 0;
  std::int64_t padding_z = 0;
  std::optional<std::int64_t> width_out = {};  // none: as with the same padding after an image
  std::optional<std::int64_t> height_out = {};
  std::optional<std::int64_t> depth_out = {};
  double alpha = 1;
  ConstElementPointer image = nullptr;
  ConstElementPointer filter = nullptr;
  const PreparedInput* prepared_filter = nullptr;  // replaces it (tilewright/convolution.hpp)
  double beta = 0;                                 // 0: the output is not read
  ElementPointer output = nullptr;
  std::span<const Operand> epilogue = {};  // the snippet's arguments, in its order
  // None: float64 or int32 if that or int8 is the image's type, else float32. float16 is for
  // products only.
  std::optional<Precision> precision = {};
};

// Tuned layers. The best configuration may need a Scratch: ask kernel(call).workspace_bytes().
using ConvLayer = Typed<ConvLayerCall, ConvLayerOptions>;

}  // namespace tilewright
