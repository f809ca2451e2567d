#include "tilewright/convolution.hpp"

#include <array>
#include <vector>

#include "runtime/typed_call.hpp"

namespace tilewright {
namespace {

using Flip = ConvolutionOptions::Flip;
using Filters = ConvolutionOptions::Filters;

constexpr std::array<const char*, 5> kBoundaryNames = {"zero", "replicate", "reflect", "mirror",
                                                       "wrap"};

KernelRequest convolution_request(const char* operation, const ConvolutionOptions& options) {
  KernelRequest request = request_of(operation, options);
  request.problem["boundary"] = kBoundaryNames.at(static_cast<std::size_t>(options.boundary));
  request.problem["flip"] = options.flip == Flip::yes ? "yes" : "no";
  return request;
}

KernelRequest request_2d(const ConvolutionOptions& options) {
  KernelRequest request = convolution_request("conv2d", options);
  request.problem["filters"] = options.filters == Filters::one ? "one" : "per_channel";
  return request;
}

KernelRequest request_1d(const ConvolutionOptions& options) {
  if (options.filters != Filters::one)
    throw InputError("conv1d: all signals share one filter; a filter per channel is not supported");
  return convolution_request("conv1d", options);
}

KernelRequest in_memory(KernelRequest request) {
  request.inputs = Inputs::in_memory;
  return request;
}

const std::vector<std::string> kDimensions2d = {"width",        "height",        "pitch",
                                                "filter_width", "filter_height", "anchor_x",
                                                "anchor_y",     "channels",      "batch"};
const std::vector<std::string> kDimensions1d = {"length", "taps", "batch"};

// The best kernel. If it needs values of the filter and the call has none: the best without them.
const Kernel& serving(const KernelsBySize& best, const KernelsBySize& in_memory,
                      std::span<const std::int64_t> sizes, const float* filter_values) {
  constexpr std::size_t kFilter = 1;  // its index among the arguments
  const Kernel& kernel = best.at(sizes);
  if (filter_values != nullptr || !kernel.arguments()[kFilter].by_value) return kernel;
  return in_memory.at(sizes);
}

Operand filter_of(const float* filter, const float* values) {
  const Operand operand(filter);
  return values == nullptr ? operand : operand.with_values(values);
}

}  // namespace

Convolution2d::Convolution2d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(runtime.resolve(request_2d(options), kDimensions2d)),
      in_memory_(runtime.resolve(in_memory(request_2d(options)), kDimensions2d)) {}

const Kernel& Convolution2d::kernel(const Convolution2dCall& call) const {
  const std::array sizes = {call.width,
                            call.height,
                            call.pitch == 0 ? call.width : call.pitch,
                            call.filter_width,
                            call.filter_height,
                            call.anchor_x.value_or(call.filter_width / 2),
                            call.anchor_y.value_or(call.filter_height / 2),
                            call.channels,
                            call.batch};
  return serving(kernels_, in_memory_, sizes, call.filter_values);
}

void Convolution2d::launch(void* stream, const Convolution2dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.image, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

Convolution1d::Convolution1d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(runtime.resolve(request_1d(options), kDimensions1d)),
      in_memory_(runtime.resolve(in_memory(request_1d(options)), kDimensions1d)) {}

const Kernel& Convolution1d::kernel(const Convolution1dCall& call) const {
  const std::array sizes = {call.length, call.taps, call.batch};
  return serving(kernels_, in_memory_, sizes, call.filter_values);
}

void Convolution1d::launch(void* stream, const Convolution1dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.signal, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

}  // namespace tilewright
