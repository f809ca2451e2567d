// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tilewright/boundary.hpp"
#include "tilewright/typed.hpp"

namespace tilewright {

// The settings that all calls of a convolution share.
struct ConvolutionOptions {
  DeviceSelector device = {};
  Boundary boundary = Boundary::zero;
  enum class Flip { no, yes } flip = Flip::no;                     // no: correlation
  enum class Filters { one, per_channel } filters = Filters::one;  // 2-D only
  std::string epilogue = {};              // name of a snippet (docs/hooks.md)
  std::string implementation = {};        // only this one, such as "halo"; empty: the fastest
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;
  // What errors are relative to, and where a NaN spreads (docs/c-and-python.md). In 1-D and 2-D.
  // Others are always elementwise, and throw InputError if this is `elementwise`.
  enum class Accuracy { normwise, elementwise } accuracy = Accuracy::normwise;
};

// output[y, x] = epilogue(sum over j, i of filter[j, i] · image[y + j − anchor_y, x + i −
// anchor_x]) for each of batch · channels planes, which follow each other in memory. Image, filter
// and output have one type: float32, float64, float16 or bfloat16.
struct Convolution2dCall {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t filter_width = 0;
  std::int64_t filter_height = 0;
  std::int64_t channels = 1;
  std::int64_t batch = 1;
  std::int64_t pitch = 0;                     // elements from row to row; 0: the width
  std::optional<std::int64_t> anchor_x = {};  // none: filter_width / 2
  std::optional<std::int64_t> anchor_y = {};  // none: filter_height / 2
  ConstElementPointer image = nullptr;
  ConstElementPointer filter = nullptr;            // in device memory, as the image
  ConstElementPointer filter_values = nullptr;     // a copy of it in host memory; null: see below
  const PreparedInput* prepared_filter = nullptr;  // replaces both; null: see below
  ElementPointer output = nullptr;
  std::span<const Operand> epilogue = {};  // the snippet's arguments, in its order
};

// The filter on a GPU. The fastest configurations pass small filters by value: their launches read
// `filter_values` before they return, and a captured launch keeps these values for every replay.
// Give the copy and keep it equal to `filter`.
//
// Without `filter_values` the kernel reads `filter` in device memory. Each launch, and each replay
// of a graph, reads what is there at that point of the stream. Nothing is copied, nothing waits,
// the filter may change at any time, and a prepared kernel may be captured. The cost is speed. If
// the best configuration passes the filter by value, the same one serves with the filter in shared
// memory. Multiply-adds with taps from there ran at 85 to 93 % of the rate on an H200
// (docs/benchmarks/convolution-log.md). Nobody has measured that configuration, so its rung is
// `portable` at best. Calls with and without the copy may have different kernels: prepare the one
// that you launch.

// `prepared_filter` is what prepare_filter() made of a filter that many calls share. Some kernels
// want it in an order of their own, such as its Fourier transform, and make that in each call
// otherwise. It serves calls of the sizes, types and options that it was made for. A filter on a
// GPU may be prepared with filter_values, too; then calls read them.

// output[y, x] = epilogue(sum over j, i of column_filter[j] · row_filter[i] · image[y + j −
// anchor_y, x + i − anchor_x]) for each plane as in 2-D. It is one 2-D filter of rank 1, in
// filter_width + filter_height multiply-adds an output instead of their product. What stands
// between both filters is float32, or float64 if that is the type.
struct SeparableConvolution2dCall {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t filter_width = 0;   // taps of row_filter, at most 129
  std::int64_t filter_height = 0;  // taps of column_filter, at most 129
  std::int64_t channels = 1;
  std::int64_t batch = 1;
  std::int64_t pitch = 0;                     // elements from row to row; 0: the width
  std::optional<std::int64_t> anchor_x = {};  // none: filter_width / 2
  std::optional<std::int64_t> anchor_y = {};  // none: filter_height / 2
  ConstElementPointer image = nullptr;
  // Both filters in device memory, as the image, and of its type.
  ConstElementPointer row_filter = nullptr;
  ConstElementPointer column_filter = nullptr;
  // Copies of both in host memory; both null: as without filter_values in 2-D.
  ConstElementPointer row_filter_values = nullptr;
  ConstElementPointer column_filter_values = nullptr;
  ElementPointer output = nullptr;
  std::span<const Operand> epilogue = {};
};

// output[i] = epilogue(sum over t of filter[t] · signal[i + t − taps / 2]) for each of `batch`
// signals, which follow each other in memory. Types are as in 2-D.
struct Convolution1dCall {
  std::int64_t length = 0;
  std::int64_t taps = 0;
  std::int64_t batch = 1;
  ConstElementPointer signal = nullptr;
  ConstElementPointer filter = nullptr;
  ConstElementPointer filter_values = nullptr;  // both as in 2-D
  const PreparedInput* prepared_filter = nullptr;
  ElementPointer output = nullptr;
  std::span<const Operand> epilogue = {};
};

// Tuned convolutions. Convolution1d throws InputError for filters per channel. Long filters in 1-D
// and 2-D may be served by a kernel that needs a Scratch: ask kernel(call).workspace_bytes().
// SeparableConvolution2d throws InputError if only one filter has its values.
using Convolution1d = Typed<Convolution1dCall, ConvolutionOptions>;
using Convolution2d = Typed<Convolution2dCall, ConvolutionOptions>;
using SeparableConvolution2d = Typed<SeparableConvolution2dCall, ConvolutionOptions>;

}  // namespace tilewright
