#include "tilewright/convolution.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "runtime/typed_call.hpp"
#include "tilewright/error.hpp"

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

KernelRequest request_2d(const char* operation, const ConvolutionOptions& options) {
  KernelRequest request = convolution_request(operation, options);
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

// The number of a type for KernelsBySize, and what it stands for. float32 is left out, so
// definitions and bundles from before there were types serve it.
std::int64_t number_of(ElementType type) {
  return static_cast<std::int64_t>(type);
}
Settings convolution_settings(std::int64_t number) {
  const auto type = static_cast<ElementType>(number);
  if (type == ElementType::float32) return {};
  return {{"type", to_text(type)}};
}

KernelsBySize resolved(const Runtime& runtime, KernelRequest request,
                       const std::vector<std::string>& dimensions) {
  return runtime.resolve(std::move(request), dimensions, convolution_settings);
}

// The best kernel. If it needs values of the filter and the call has none: the best without them.
const Kernel& serving(const KernelsBySize& best, const KernelsBySize& in_memory,
                      std::span<const std::int64_t> sizes, ConstElementPointer filter_values) {
  constexpr std::size_t kFilter = 1;  // its index among the arguments, or that of the first of two
  const Kernel& kernel = best.at(sizes);
  if (filter_values.memory() != nullptr || !argument_at(kernel, kFilter).by_value) return kernel;
  return in_memory.at(sizes);
}

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

Operand filter_of(ConstElementPointer filter, ConstElementPointer values) {
  const Operand operand(filter);
  if (values.memory() == nullptr) return operand;
  if (values.type() != filter.type())
    throw InputError(
        fmt::format("a filter of {} has filter_values of {}; give a copy of the filter",
                    to_text(filter.type()), to_text(values.type())));
  return operand.with_values(values.memory());
}

}  // namespace

Convolution2d::Convolution2d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(resolved(runtime, request_2d("conv2d", options), kDimensions2d)),
      in_memory_(resolved(runtime, in_memory(request_2d("conv2d", options)), kDimensions2d)) {}

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
    : kernels_(resolved(runtime, request_2d("conv2d_separable", options), kDimensions2d)),
      in_memory_(
          resolved(runtime, in_memory(request_2d("conv2d_separable", options)), kDimensions2d)) {}

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
