// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/convolution.hpp"

#include <array>
#include <utility>

#include "runtime/launch/operand_list.hpp"

namespace tilewright {
namespace {

using Flip = ConvolutionOptions::Flip;
using Filters = ConvolutionOptions::Filters;

constexpr std::array<const char*, 5> kBoundaryNames = {"zero", "replicate", "reflect", "mirror",
                                                       "wrap"};

KernelRequest request_of(const char* operation, const ConvolutionOptions& options) {
  KernelRequest request;
  request.operation = operation;
  if (!options.implementation.empty()) request.operation += '/' + options.implementation;
  request.problem["boundary"] = kBoundaryNames.at(static_cast<std::size_t>(options.boundary));
  request.problem["flip"] = options.flip == Flip::yes ? "yes" : "no";
  if (!options.epilogue.empty()) request.problem["epilogue"] = options.epilogue;
  request.device = options.device;
  request.cache = options.cache;
  request.require = options.require;
  return request;
}

KernelRequest request_2d(const ConvolutionOptions& options) {
  KernelRequest request = request_of("conv2d", options);
  request.problem["filters"] = options.filters == Filters::one ? "one" : "per_channel";
  return request;
}

KernelRequest request_1d(const ConvolutionOptions& options) {
  if (options.filters != Filters::one)
    throw InputError("conv1d: all signals are filtered alike; there are no filters per channel");
  return request_of("conv1d", options);
}

Operand filter_of(const float* filter, const float* values) {
  const Operand operand(filter);
  return values == nullptr ? operand : operand.with_values(values);
}

}  // namespace

Convolution2d::Convolution2d(const Runtime& runtime, ConvolutionOptions options)
    : kernels_(runtime.resolve(request_2d(options),
                               {"width", "height", "pitch", "filter_width", "filter_height",
                                "anchor_x", "anchor_y", "channels", "batch"})) {}

const Kernel& Convolution2d::kernel(const Convolution2dCall& call) const {
  return kernels_.at({call.width, call.height, call.pitch == 0 ? call.width : call.pitch,
                      call.filter_width, call.filter_height,
                      call.anchor_x.value_or(call.filter_width / 2),
                      call.anchor_y.value_or(call.filter_height / 2), call.channels, call.batch});
}

void Convolution2d::launch(void* stream, const Convolution2dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.image, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

Convolution1d::Convolution1d(const Runtime& runtime, ConvolutionOptions options)
    : kernels_(runtime.resolve(request_1d(options), {"length", "taps", "batch"})) {}

const Kernel& Convolution1d::kernel(const Convolution1dCall& call) const {
  return kernels_.at({call.length, call.taps, call.batch});
}

void Convolution1d::launch(void* stream, const Convolution1dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.signal, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

}  // namespace tilewright
