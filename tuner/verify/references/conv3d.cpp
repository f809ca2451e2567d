#include "tuner/verify/references/filter.hpp"

namespace tilewright {

// As conv2d of volumes, with depth, filter_depth and anchor_z (half the filter).
std::unique_ptr<HostReference> make_conv3d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<FilterReference>(
      inputs, axis_of(inputs, "depth", inputs.dimension("filter_depth"), "anchor_z"));
}

}  // namespace tilewright
