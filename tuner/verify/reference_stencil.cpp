#include <fmt/format.h>

#include <array>
#include <optional>

#include "tilewright/error.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/verify/reference_boundary.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

// All steps but the last are computed for all points, when it is made. The last one is computed for
// the points that are asked for.
class StencilReference : public HostReference {
 public:
  explicit StencilReference(const ReferenceInputs& inputs)
      : radius_(inputs.dimension("radius")),
        width_(inputs.dimension("width")),
        pitch_(inputs.dimension_or("pitch", width_)),
        steps_(inputs.dimension_or("steps", 1)),
        axes_(axes(inputs)),
        count_(axes_[2].stride * axes_[2].length * inputs.dimension_or("batch", 1)),
        field_(inputs.input(0, count_)),
        coefficients_(inputs.input(1, 3 * radius_ + 1)),
        before_(inputs.input(2, count_)),
        is_fixed_(inputs.choice_or("boundary", "zero") == "fixed"),
        rule_(is_fixed_ ? GhostRule::zero : to_ghost_rule(inputs.choice_or("boundary", "zero"))) {
    if (pitch_ < width_)
      throw InputError(fmt::format("pitch = {} is below width = {}", pitch_, width_));
    for (std::int64_t step = 1; step < steps_; ++step) take_step();
  }

  double at(int /*argument*/, std::int64_t index) const override {
    if (index % pitch_ >= width_) return before_[index];
    if (steps_ == 0) return field_[index];
    return steps_ == 1 ? star(field_, index) : star(latest_, index);
  }
  std::int64_t multiply_adds() const override { return 6 * radius_ + 1; }
  std::int64_t row() const override { return pitch_; }

 private:
  using Values = std::vector<double>;

  struct Axis {
    std::int64_t length;
    std::int64_t stride;
    std::int64_t period;  // the length, and of a row its gap

    std::int64_t place(std::int64_t index) const { return index / stride % period; }
  };

  std::array<Axis, 3> axes(const ReferenceInputs& inputs) const {
    const std::int64_t height = inputs.dimension("height");
    const std::int64_t depth = inputs.dimension("depth");
    return {Axis{width_, 1, pitch_}, Axis{height, pitch_, height},
            Axis{depth, pitch_ * height, depth}};
  }

  void take_step() {
    Values next(static_cast<std::size_t>(count_));
    const bool is_first = latest_.empty();
    parallel_ranges(count_, 1 << 14, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        if (i % pitch_ < width_)
          next[static_cast<std::size_t>(i)] = is_first ? star(field_, i) : star(latest_, i);
    });
    latest_.swap(next);
  }

  static double value(const InputValues& values, std::int64_t index) { return values[index]; }
  static double value(const Values& values, std::int64_t index) {
    return values[static_cast<std::size_t>(index)];
  }

  template <class Source>
  double star(const Source& values, std::int64_t index) const {
    if (is_fixed_ && is_near_face(index)) return value(values, index);
    double sum = coefficients_[0] * value(values, index);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const std::int64_t own = axes_[axis].place(index);
      for (std::int64_t r = 1; r <= radius_; ++r) {
        double pair = 0;
        for (const std::int64_t at : {own - r, own + r})
          if (const auto source = source_of(at, axes_[axis].length, rule_))
            pair += value(values, index + (*source - own) * axes_[axis].stride);
        sum += coefficients_[static_cast<std::int64_t>(axis) * radius_ + r] * pair;
      }
    }
    return sum;
  }

  bool is_near_face(std::int64_t index) const {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const std::int64_t own = axes_[axis].place(index);
      if (own < radius_ || own >= axes_[axis].length - radius_) return true;
    }
    return false;
  }

  std::int64_t radius_, width_, pitch_, steps_;
  std::array<Axis, 3> axes_;
  std::int64_t count_;
  InputValues field_, coefficients_, before_;
  bool is_fixed_;
  GhostRule rule_;
  Values latest_;  // after all steps but the last, if there are several
};

}  // namespace

std::unique_ptr<HostReference> make_stencil3d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<StencilReference>(inputs);
}

}  // namespace tilewright
