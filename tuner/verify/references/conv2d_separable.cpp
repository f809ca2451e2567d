#include <optional>

#include "tuner/verify/references/filter.hpp"

namespace tilewright {
namespace {

// The length of one of two filters, which have one length where a problem has `taps`.
std::int64_t taps_along(const ReferenceInputs& inputs, const char* name) {
  const std::int64_t both = inputs.dimension_or("taps", 0);
  return both > 0 ? both : inputs.dimension(name);
}

class SeparableReference : public HostReference {
 public:
  explicit SeparableReference(const ReferenceInputs& inputs)
      : images_(inputs, taps_along(inputs, "filter_width"), taps_along(inputs, "filter_height"),
                Axis()),
        row_filter_(inputs.input(1, images_.x.taps * images_.filters)),
        column_filter_(inputs.input(2, images_.y.taps * images_.filters)) {
    if (images_.pitch > images_.x.length) before_.emplace(inputs.input(3, images_.elements));
  }

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t x = index % images_.pitch;
    if (x >= images_.x.length) return (*before_)[index];
    const std::int64_t y = index / images_.pitch % images_.y.length;
    const std::int64_t plane = index / images_.pitch / images_.y.length;
    return images_.y.sum(y, images_.boundary, [&](std::int64_t j, std::int64_t source) {
      return column_filter_[images_.place_of(plane, j, images_.y.taps)] *
             images_.row_sum(plane, 0, source, x, [&](std::int64_t i) {
               return row_filter_[images_.place_of(plane, i, images_.x.taps)];
             });
    });
  }
  std::int64_t multiply_adds() const override { return images_.x.taps * images_.y.taps; }
  std::int64_t row() const override { return images_.pitch; }

 private:
  Volumes images_;
  InputValues row_filter_, column_filter_;
  std::optional<InputValues> before_;  // only where there are gaps between rows
};

}  // namespace

// Inputs are image, row filter and column filter, and where the pitch is above the width the
// earlier output. Dimensions and choices are those of conv2d; `taps` may stand for both filters'
// lengths. Throws InputError if the pitch is below the width.
std::unique_ptr<HostReference> make_conv2d_separable_reference(const ReferenceInputs& inputs) {
  return std::make_unique<SeparableReference>(inputs);
}

}  // namespace tilewright
