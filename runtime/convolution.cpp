#include "tilewright/convolution.hpp"

#include <array>
#include <vector>

#include "runtime/filter_call.hpp"
#include "runtime/typed_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

KernelRequest request_1d(const ConvolutionOptions& options) {
  if (options.filters != ConvolutionOptions::Filters::one)
    throw InputError("conv1d: all signals share one filter; a filter per channel is not supported");
  return filter_request("conv1d", options);
}

const std::vector<std::string> kDimensions2d = {"width",        "height",        "pitch",
                                                "filter_width", "filter_height", "anchor_x",
                                                "anchor_y",     "channels",      "batch"};
const std::vector<std::string> kDimensions1d = {"length", "taps", "batch"};

// In the order of kDimensions2d, and the type.
std::array<std::int64_t, 10> sizes_2d(const auto& call) {
  return {call.width,
          call.height,
          call.pitch == 0 ? call.width : call.pitch,
          call.filter_width,
          call.filter_height,
          call.anchor_x.value_or(call.filter_width / 2),
          call.anchor_y.value_or(call.filter_height / 2),
          call.channels,
          call.batch,
          number_of(call.image.type())};
}

}  // namespace

Convolution2d::Convolution2d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(resolved(runtime, channels_request("conv2d", options), kDimensions2d)),
      in_memory_(resolved(runtime, in_memory(channels_request("conv2d", options)), kDimensions2d)) {
}

const Kernel& Convolution2d::kernel(const Convolution2dCall& call) const {
  return serving(kernels_, in_memory_, sizes_2d(call), call.filter_values);
}

void Convolution2d::launch(void* stream, const Convolution2dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.image, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

SeparableConvolution2d::SeparableConvolution2d(const Runtime& runtime,
                                               const ConvolutionOptions& options)
    : kernels_(resolved(runtime, channels_request("conv2d_separable", options), kDimensions2d)),
      in_memory_(resolved(runtime, in_memory(channels_request("conv2d_separable", options)),
                          kDimensions2d)) {}

const Kernel& SeparableConvolution2d::kernel(const SeparableConvolution2dCall& call) const {
  if ((call.row_filter_values.memory() == nullptr) !=
      (call.column_filter_values.memory() == nullptr))
    throw InputError(
        "conv2d_separable: give row_filter_values and column_filter_values, or neither");
  return serving(kernels_, in_memory_, sizes_2d(call), call.row_filter_values);
}

void SeparableConvolution2d::launch(void* stream, const SeparableConvolution2dCall& call,
                                    Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 4>{call.image, filter_of(call.row_filter, call.row_filter_values),
                             filter_of(call.column_filter, call.column_filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

Convolution1d::Convolution1d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(resolved(runtime, request_1d(options), kDimensions1d)),
      in_memory_(resolved(runtime, in_memory(request_1d(options)), kDimensions1d)) {}

const Kernel& Convolution1d::kernel(const Convolution1dCall& call) const {
  const std::array sizes = {call.length, call.taps, call.batch, number_of(call.signal.type())};
  return serving(kernels_, in_memory_, sizes, call.filter_values);
}

void Convolution1d::launch(void* stream, const Convolution1dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.signal, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

}  // namespace tilewright
