#include "tilewright/convolution.hpp"

#include "bindings/c/typed.hpp"

namespace tilewright::bindings {
namespace {

ConvolutionOptions options_of(const tw_convolution_options& given) {
  auto options = common_options<ConvolutionOptions>(given);
  options.boundary = static_cast<Boundary>(
      place_of(given.boundary, "boundary", {"zero", "replicate", "reflect", "mirror", "wrap"}));
  if (is_set(given.flip, "flip")) options.flip = ConvolutionOptions::Flip::yes;
  if (is_set(given.filters_per_channel, "filters_per_channel"))
    options.filters = ConvolutionOptions::Filters::per_channel;
  return options;
}

}  // namespace
}  // namespace tilewright::bindings

using namespace tilewright::bindings;

struct tw_conv2d {
  tw_conv2d(const tilewright::Runtime& runtime, const tw_convolution_options& given)
      : typed(runtime, options_of(given)) {}

  static tilewright::Convolution2dCall call_of(const tw_conv2d_call& given,
                                               std::span<const tilewright::Operand> epilogue) {
    tilewright::Convolution2dCall call;
    call.width = given.width;
    call.height = given.height;
    call.filter_width = given.filter_width;
    call.filter_height = given.filter_height;
    if (given.channels != 0) call.channels = given.channels;
    if (given.batch != 0) call.batch = given.batch;
    call.pitch = given.pitch;
    if (given.anchor != nullptr) {
      call.anchor_x = given.anchor[0];
      call.anchor_y = given.anchor[1];
    }
    call.image = given.image;
    call.filter = given.filter;
    call.filter_values = given.filter_values;
    call.output = given.output;
    call.epilogue = epilogue;
    return call;
  }

  const tilewright::Convolution2d typed;
};

struct tw_conv1d {
  tw_conv1d(const tilewright::Runtime& runtime, const tw_convolution_options& given)
      : typed(runtime, options_of(given)) {}

  static tilewright::Convolution1dCall call_of(const tw_conv1d_call& given,
                                               std::span<const tilewright::Operand> epilogue) {
    tilewright::Convolution1dCall call;
    call.length = given.length;
    call.taps = given.taps;
    if (given.batch != 0) call.batch = given.batch;
    call.signal = given.signal;
    call.filter = given.filter;
    call.filter_values = given.filter_values;
    call.output = given.output;
    call.epilogue = epilogue;
    return call;
  }

  const tilewright::Convolution1d typed;
};

tw_status tw_conv2d_open(const tw_runtime* runtime, const tw_convolution_options* options,
                         tw_conv2d** convolution) {
  return open_typed("tw_conv2d_open", runtime, options, convolution);
}

void tw_conv2d_close(tw_conv2d* convolution) {
  delete convolution;
}

tw_status tw_conv2d_kernel(const tw_conv2d* convolution, const tw_conv2d_call* call,
                           tw_kernel** kernel) {
  return kernel_of_typed("tw_conv2d_kernel", convolution, call, kernel);
}

tw_status tw_conv2d_launch(const tw_conv2d* convolution, void* stream, const tw_conv2d_call* call,
                           const tw_scratch* scratch) {
  return launch_typed("tw_conv2d_launch", convolution, stream, call, scratch);
}

tw_status tw_conv1d_open(const tw_runtime* runtime, const tw_convolution_options* options,
                         tw_conv1d** convolution) {
  return open_typed("tw_conv1d_open", runtime, options, convolution);
}

void tw_conv1d_close(tw_conv1d* convolution) {
  delete convolution;
}

tw_status tw_conv1d_kernel(const tw_conv1d* convolution, const tw_conv1d_call* call,
                           tw_kernel** kernel) {
  return kernel_of_typed("tw_conv1d_kernel", convolution, call, kernel);
}

tw_status tw_conv1d_launch(const tw_conv1d* convolution, void* stream, const tw_conv1d_call* call,
                           const tw_scratch* scratch) {
  return launch_typed("tw_conv1d_launch", convolution, stream, call, scratch);
}
