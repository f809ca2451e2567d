#include "tilewright/volume.hpp"

#include <fmt/format.h>

#include "runtime/operations/typed_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

template <>
struct CallTraits<Stencil3dCall> : CallOfOneType {
  static constexpr const char* kOperation = "stencil3d";

  static Settings choices(const Stencil3dOptions& options) {
    return {{"boundary", to_text(options.boundary)}};
  }
  static const Stencil3dCall& completed(const Stencil3dCall& call,
                                        const Stencil3dOptions& options) {
    if (!options.epilogue.empty() && call.steps != 1)
      throw InputError(fmt::format("stencil3d: steps={}: an epilogue is for one step", call.steps));
    return call;
  }
  static auto sizes(const Stencil3dCall& call) {
    return std::to_array<Size>({{"width", call.width},
                                {"height", call.height},
                                {"depth", call.depth},
                                {"pitch", unless_zero(call.pitch)},
                                {"radius", call.radius},
                                {"steps", call.steps},
                                {"batch", call.batch}});
  }
  static std::int64_t number(const Stencil3dCall& call) { return number_of(call.field.type()); }
  static std::array<Operand, 3> operands(const Stencil3dCall& call, const Kernel& /*kernel*/) {
    const ConstElementPointer& given = call.coefficients;
    return {call.field, Operand::array(given.type(), given.memory(), 3 * call.radius + 1),
            call.output};
  }
};

template class Typed<Stencil3dCall, Stencil3dOptions>;

}  // namespace tilewright
