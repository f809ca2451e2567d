#include "tuner/verify/references/filter.hpp"

namespace tilewright {

// Inputs are image, filter and the earlier output, which gaps between rows keep. Dimensions are
// width, height, filter_width, filter_height, pitch (width), anchor_x and anchor_y (half the
// filter), channels and batch (1). Choices are boundary ("zero"), flip ("no") and filters ("one").
// Throws InputError if the pitch is below the width.
std::unique_ptr<HostReference> make_conv2d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<FilterReference>(inputs, Axis());
}

}  // namespace tilewright
