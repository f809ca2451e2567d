#include "tilewright/typed.h"

#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/request.hpp"
#include "bindings/c/sized.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/convolution.hpp"
#include "tilewright/gemm.hpp"
#include "tilewright/volume.hpp"

namespace tilewright::bindings {
namespace {

template <class Options, class Given>
Options common_options(const Given& given) {
  Options options;
  options.device = selector_of(given.device);
  if (given.epilogue != nullptr) options.epilogue = given.epilogue;
  if (given.implementation != nullptr) options.implementation = given.implementation;
  options.cache = cache_of(given.cache);
  options.require = require_of(given.require);
  return options;
}

GemmOptions options_of(const tw_gemm_options& given) {
  auto options = common_options<GemmOptions>(given);
  if (is_set(given.column_major, "column_major")) options.order = MatrixOrder::column_major;
  return options;
}

ConvolutionOptions options_of(const tw_convolution_options& given) {
  auto options = common_options<ConvolutionOptions>(given);
  options.boundary = static_cast<Boundary>(
      place_of(given.boundary, "boundary", {"zero", "replicate", "reflect", "mirror", "wrap"}));
  if (is_set(given.flip, "flip")) options.flip = ConvolutionOptions::Flip::yes;
  if (is_set(given.filters_per_channel, "filters_per_channel"))
    options.filters = ConvolutionOptions::Filters::per_channel;
  return options;
}

Stencil3dOptions options_of(const tw_stencil3d_options& given) {
  auto options = common_options<Stencil3dOptions>(given);
  options.boundary = static_cast<StencilBoundary>(place_of(
      given.boundary, "boundary", {"zero", "replicate", "reflect", "mirror", "wrap", "fixed"}));
  return options;
}

ElementType type_of(std::int32_t number, const char* field) {
  check_enumerator(number, static_cast<std::int32_t>(kLastElementType), field, "tw_type");
  return static_cast<ElementType>(number);
}

std::optional<Precision> precision_of(std::int32_t number) {
  check_enumerator(number, TW_PRECISION_INT32, "precision", "tw_precision");
  if (number == TW_PRECISION_USUAL) return std::nullopt;
  static_assert(static_cast<int>(Precision::int32) == TW_PRECISION_INT32 - TW_PRECISION_FLOAT32);
  return static_cast<Precision>(number - TW_PRECISION_FLOAT32);
}

GemmCall call_of(const tw_gemm_call& given, std::span<const Operand> epilogue) {
  GemmCall call;
  call.transpose_a = is_set(given.transpose_a, "transpose_a") ? Transpose::yes : Transpose::no;
  call.transpose_b = is_set(given.transpose_b, "transpose_b") ? Transpose::yes : Transpose::no;
  call.m = given.m;
  call.n = given.n;
  call.k = given.k;
  call.alpha = given.alpha;
  call.a = {type_of(given.type_a, "type_a"), given.a};
  call.lda = given.lda;
  call.b = {type_of(given.type_b, "type_b"), given.b};
  call.ldb = given.ldb;
  call.beta = given.beta;
  call.c = {type_of(given.type_c, "type_c"), given.c};
  call.precision = precision_of(given.precision);
  call.ldc = given.ldc;
  if (given.batch != 0) call.batch = given.batch;
  if (given.strides != nullptr) {
    call.stride_a = given.strides[0];
    call.stride_b = given.strides[1];
    call.stride_c = given.strides[2];
  }
  call.epilogue = epilogue;
  return call;
}

// What the calls of images have in common.
template <class Call>
Call image_call_of(const auto& given, std::span<const Operand> epilogue) {
  Call call;
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
  const ElementType type = type_of(given.type, "type");
  call.image = {type, given.image};
  call.output = {type, given.output};
  call.epilogue = epilogue;
  return call;
}

Convolution2dCall call_of(const tw_conv2d_call& given, std::span<const Operand> epilogue) {
  auto call = image_call_of<Convolution2dCall>(given, epilogue);
  const ElementType type = call.image.type();
  call.filter = {type, given.filter};
  call.filter_values = {type, given.filter_values};
  return call;
}

SeparableConvolution2dCall call_of(const tw_conv2d_separable_call& given,
                                   std::span<const Operand> epilogue) {
  auto call = image_call_of<SeparableConvolution2dCall>(given, epilogue);
  const ElementType type = call.image.type();
  call.row_filter = {type, given.row_filter};
  call.column_filter = {type, given.column_filter};
  call.row_filter_values = {type, given.row_filter_values};
  call.column_filter_values = {type, given.column_filter_values};
  return call;
}

Convolution1dCall call_of(const tw_conv1d_call& given, std::span<const Operand> epilogue) {
  Convolution1dCall call;
  call.length = given.length;
  call.taps = given.taps;
  if (given.batch != 0) call.batch = given.batch;
  const ElementType type = type_of(given.type, "type");
  call.signal = {type, given.signal};
  call.filter = {type, given.filter};
  call.filter_values = {type, given.filter_values};
  call.output = {type, given.output};
  call.epilogue = epilogue;
  return call;
}

Convolution3dCall call_of(const tw_conv3d_call& given, std::span<const Operand> epilogue) {
  Convolution3dCall call;
  call.width = given.width;
  call.height = given.height;
  call.depth = given.depth;
  call.filter_width = given.filter_width;
  call.filter_height = given.filter_height;
  call.filter_depth = given.filter_depth;
  if (given.channels != 0) call.channels = given.channels;
  if (given.batch != 0) call.batch = given.batch;
  call.pitch = given.pitch;
  if (given.anchor != nullptr) {
    call.anchor_x = given.anchor[0];
    call.anchor_y = given.anchor[1];
    call.anchor_z = given.anchor[2];
  }
  const ElementType type = type_of(given.type, "type");
  call.volume = {type, given.volume};
  call.filter = {type, given.filter};
  call.filter_values = {type, given.filter_values};
  call.output = {type, given.output};
  call.epilogue = epilogue;
  return call;
}

Stencil3dCall call_of(const tw_stencil3d_call& given, std::span<const Operand> epilogue) {
  Stencil3dCall call;
  call.width = given.width;
  call.height = given.height;
  call.depth = given.depth;
  call.radius = given.radius;
  call.steps = given.steps;
  if (given.batch != 0) call.batch = given.batch;
  call.pitch = given.pitch;
  const ElementType type = type_of(given.type, "type");
  const bool is_double = type == ElementType::float64;
  call.field = {type, given.field};
  call.coefficients = {is_double ? ElementType::float64 : ElementType::float32, given.coefficients};
  call.output = {type, given.output};
  call.epilogue = epilogue;
  return call;
}

template <class Handle, class Options>
tw_status open_typed(const char* function, const tw_runtime* runtime, const Options* options,
                     Handle** handle) {
  return guarded([&] {
    require(function, {{"runtime", runtime}, {"where the handle goes", handle}});
    *handle =
        new Handle(runtime->runtime, options == nullptr ? Options{} : whole_of(function, options));
  });
}

template <class Handle, class Call>
tw_status kernel_of_typed(const char* function, const Handle* handle, const Call* call,
                          tw_kernel** kernel) {
  return guarded([&] {
    require(function, {{"the handle", handle}, {"call", call}, {"kernel", kernel}});
    *kernel = new tw_kernel(handle->typed.kernel(call_of(whole_of(function, call), {})));
  });
}

template <class Handle, class Call>
tw_status launch_typed(const char* function, const Handle* handle, void* stream, const Call* call,
                       const tw_scratch* scratch) {
  return guarded([&] {
    require(function, {{"the handle", handle}, {"call", call}});
    const Call given = whole_of(function, call);
    if (given.epilogue_count > 0) require(function, {{"call->epilogue", given.epilogue}});
    const std::vector<Operand> epilogue = operands_of(given.epilogue, given.epilogue_count);
    const auto plain = call_of(given, epilogue);
    const Kernel& kernel = handle->typed.kernel(plain);
    handle->typed.launch(stream, plain, scratch_of(kernel, scratch));
  });
}

}  // namespace

// A handle of typed.h is the C++ helper with its options.
template <class Helper>
struct TypedHandle {
  TypedHandle(const Runtime& runtime, const auto& options) : typed(runtime, options_of(options)) {}

  const Helper typed;
};

}  // namespace tilewright::bindings

using namespace tilewright::bindings;

struct tw_gemm : TypedHandle<tilewright::Gemm> {
  using TypedHandle::TypedHandle;
};
struct tw_conv2d : TypedHandle<tilewright::Convolution2d> {
  using TypedHandle::TypedHandle;
};
struct tw_conv2d_separable : TypedHandle<tilewright::SeparableConvolution2d> {
  using TypedHandle::TypedHandle;
};
struct tw_conv1d : TypedHandle<tilewright::Convolution1d> {
  using TypedHandle::TypedHandle;
};
struct tw_conv3d : TypedHandle<tilewright::Convolution3d> {
  using TypedHandle::TypedHandle;
};
struct tw_stencil3d : TypedHandle<tilewright::Stencil3d> {
  using TypedHandle::TypedHandle;
};

tw_status tw_gemm_open(const tw_runtime* runtime, const tw_gemm_options* options, tw_gemm** gemm) {
  return open_typed("tw_gemm_open", runtime, options, gemm);
}

void tw_gemm_close(tw_gemm* gemm) {
  delete gemm;
}

tw_status tw_gemm_kernel(const tw_gemm* gemm, const tw_gemm_call* call, tw_kernel** kernel) {
  return kernel_of_typed("tw_gemm_kernel", gemm, call, kernel);
}

tw_status tw_gemm_launch(const tw_gemm* gemm, void* stream, const tw_gemm_call* call,
                         const tw_scratch* scratch) {
  return launch_typed("tw_gemm_launch", gemm, stream, call, scratch);
}

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

tw_status tw_conv2d_separable_open(const tw_runtime* runtime, const tw_convolution_options* options,
                                   tw_conv2d_separable** convolution) {
  return open_typed("tw_conv2d_separable_open", runtime, options, convolution);
}

void tw_conv2d_separable_close(tw_conv2d_separable* convolution) {
  delete convolution;
}

tw_status tw_conv2d_separable_kernel(const tw_conv2d_separable* convolution,
                                     const tw_conv2d_separable_call* call, tw_kernel** kernel) {
  return kernel_of_typed("tw_conv2d_separable_kernel", convolution, call, kernel);
}

tw_status tw_conv2d_separable_launch(const tw_conv2d_separable* convolution, void* stream,
                                     const tw_conv2d_separable_call* call,
                                     const tw_scratch* scratch) {
  return launch_typed("tw_conv2d_separable_launch", convolution, stream, call, scratch);
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

tw_status tw_conv3d_open(const tw_runtime* runtime, const tw_convolution_options* options,
                         tw_conv3d** convolution) {
  return open_typed("tw_conv3d_open", runtime, options, convolution);
}

void tw_conv3d_close(tw_conv3d* convolution) {
  delete convolution;
}

tw_status tw_conv3d_kernel(const tw_conv3d* convolution, const tw_conv3d_call* call,
                           tw_kernel** kernel) {
  return kernel_of_typed("tw_conv3d_kernel", convolution, call, kernel);
}

tw_status tw_conv3d_launch(const tw_conv3d* convolution, void* stream, const tw_conv3d_call* call,
                           const tw_scratch* scratch) {
  return launch_typed("tw_conv3d_launch", convolution, stream, call, scratch);
}

tw_status tw_stencil3d_open(const tw_runtime* runtime, const tw_stencil3d_options* options,
                            tw_stencil3d** stencil) {
  return open_typed("tw_stencil3d_open", runtime, options, stencil);
}

void tw_stencil3d_close(tw_stencil3d* stencil) {
  delete stencil;
}

tw_status tw_stencil3d_kernel(const tw_stencil3d* stencil, const tw_stencil3d_call* call,
                              tw_kernel** kernel) {
  return kernel_of_typed("tw_stencil3d_kernel", stencil, call, kernel);
}

tw_status tw_stencil3d_launch(const tw_stencil3d* stencil, void* stream,
                              const tw_stencil3d_call* call, const tw_scratch* scratch) {
  return launch_typed("tw_stencil3d_launch", stencil, stream, call, scratch);
}
