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

}  // namespace

Convolution2d::Convolution2d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(resolved(runtime, channels_request("conv2d", options), kDimensions2d)),
      in_memory_(resolved(runtime, in_memory(channels_request("conv2d", options)), kDimensions2d)) {
}

const Kernel& Convolution2d::kernel(const Convolution2dCall& call) const {
  const std::array sizes = {call.width,
                            call.height,
                            call.pitch == 0 ? call.width : call.pitch,
                            call.filter_width,
                            call.filter_height,
                            call.anchor_x.value_or(call.filter_width / 2),
                            call.anchor_y.value_or(call.filter_height / 2),
                            call.channels,
                            call.batch,
                            number_of(call.image.type())};
  return serving(kernels_, in_memory_, sizes, call.filter_values);
}

void Convolution2d::launch(void* stream, const Convolution2dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.image, filter_of(call.filter, call.filter_values), call.output},
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
