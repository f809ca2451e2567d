#include "tilewright/volume.hpp"

#include <array>
#include <string>
#include <vector>

#include "runtime/filter_call.hpp"
#include "runtime/typed_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> kFilterDimensions = {
    "width",        "height",   "depth",    "pitch",    "filter_width", "filter_height",
    "filter_depth", "anchor_x", "anchor_y", "anchor_z", "channels",     "batch"};
const std::vector<std::string> kStencilDimensions = {"width",  "height", "depth", "pitch",
                                                     "radius", "steps",  "batch"};

constexpr std::array<const char*, 6> kStencilBoundaries = {"zero",   "replicate", "reflect",
                                                           "mirror", "wrap",      "fixed"};

KernelRequest stencil_request(const Stencil3dOptions& options) {
  KernelRequest request = request_of("stencil3d", options);
  request.problem["boundary"] = kStencilBoundaries.at(static_cast<std::size_t>(options.boundary));
  return request;
}

}  // namespace

Convolution3d::Convolution3d(const Runtime& runtime, const ConvolutionOptions& options)
    : kernels_(resolved(runtime, channels_request("conv3d", options), kFilterDimensions)),
      in_memory_(
          resolved(runtime, in_memory(channels_request("conv3d", options)), kFilterDimensions)) {}

const Kernel& Convolution3d::kernel(const Convolution3dCall& call) const {
  const std::array sizes = {call.width,
                            call.height,
                            call.depth,
                            call.pitch == 0 ? call.width : call.pitch,
                            call.filter_width,
                            call.filter_height,
                            call.filter_depth,
                            call.anchor_x.value_or(call.filter_width / 2),
                            call.anchor_y.value_or(call.filter_height / 2),
                            call.anchor_z.value_or(call.filter_depth / 2),
                            call.channels,
                            call.batch,
                            number_of(call.volume.type())};
  return serving(kernels_, in_memory_, sizes, call.filter_values);
}

void Convolution3d::launch(void* stream, const Convolution3dCall& call, Scratch scratch) const {
  const OperandList operands(
      std::array<Operand, 3>{call.volume, filter_of(call.filter, call.filter_values), call.output},
      call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

Stencil3d::Stencil3d(const Runtime& runtime, const Stencil3dOptions& options)
    : kernels_(resolved(runtime, stencil_request(options), kStencilDimensions)),
      has_epilogue_(!options.epilogue.empty()) {}

const Kernel& Stencil3d::kernel(const Stencil3dCall& call) const {
  if (has_epilogue_ && call.steps != 1)
    throw InputError("stencil3d: steps=" + std::to_string(call.steps) +
                     ": an epilogue is for one step");
  const std::array sizes = {
      call.width,  call.height, call.depth, call.pitch == 0 ? call.width : call.pitch,
      call.radius, call.steps,  call.batch, number_of(call.field.type())};
  return kernels_.at(sizes);
}

void Stencil3d::launch(void* stream, const Stencil3dCall& call, Scratch scratch) const {
  const Operand coefficients =
      Operand::array(call.coefficients.type(), call.coefficients.memory(), 3 * call.radius + 1);
  const OperandList operands(std::array<Operand, 3>{call.field, coefficients, call.output},
                             call.epilogue);
  kernel(call).launch(stream, operands.all(), scratch);
}

}  // namespace tilewright
