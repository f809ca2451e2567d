#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "definition/text/errors.hpp"
#include "tuner/backend/parallel.hpp"
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
        boundary_(is_fixed_ ? Boundary::zero
                            : boundary_named(inputs.choice_or("boundary", "zero"))) {
    if (pitch_ < width_) throw bad_input("pitch = {} is below width = {}", pitch_, width_);
    if (steps_ < 2) return;
    latest_.resize(static_cast<std::size_t>(count_));
    for_rows([&](std::int64_t row) {
      for (std::int64_t i = row; i < row + width_; ++i) latest_.data()[i] = field_[i];
    });
    std::vector<double> next(latest_.size());
    for (std::int64_t step = 1; step < steps_; ++step) {
      for_rows([&](std::int64_t row) { take_step(row, next.data()); });
      latest_.swap(next);
    }
  }

  double at(int /*argument*/, std::int64_t index) const override {
    if (index % pitch_ >= width_) return before_[index];
    if (steps_ == 0) return field_[index];
    return steps_ == 1 ? star(field_, index) : star(latest_.data(), index);
  }
  std::int64_t multiply_adds() const override { return 6 * radius_ + 1; }
  std::int64_t row() const override { return pitch_; }

 private:
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

  // `work` gets the index at which a row begins; rows are shared among all cores.
  void for_rows(const auto& work) const {
    parallel_ranges(count_ / pitch_, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) work(row * pitch_);
    });
  }

  // A row of `next` from the latest values. What lies beside it, above or behind is a row too; only
  // near the row's ends is each point's place examined.
  void take_step(std::int64_t row, double* next) const {
    const std::int64_t edge = std::min(radius_, width_);
    const std::int64_t end = std::max(edge, width_ - radius_);
    for (std::int64_t i = row; i < row + edge; ++i) next[i] = star(latest_.data(), i);
    for (std::int64_t i = row + end; i < row + width_; ++i) next[i] = star(latest_.data(), i);
    if (end > edge) take_step_inside(row + edge, end - edge, next);
  }

  // So many points from `first` on, none of which is near an end of its row.
  void take_step_inside(std::int64_t first, std::int64_t points, double* next) const {
    const double* from = latest_.data() + first;
    double* to = next + first;
    if (is_fixed_ && is_near_face(first)) {
      std::copy_n(from, points, to);
      return;
    }
    const double middle = coefficients_[0];
    for (std::int64_t i = 0; i < points; ++i) to[i] = middle * from[i];
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      for (std::int64_t r = 1; r <= radius_; ++r)
        for (const std::int64_t distance : {-r, r}) {
          const auto offset = offset_of(axes_[axis], first, distance);
          if (!offset) continue;
          const double factor = coefficients_[static_cast<std::int64_t>(axis) * radius_ + r];
          const double* beside = from + *offset;
          for (std::int64_t i = 0; i < points; ++i) to[i] += factor * beside[i];
        }
  }

  // How far the element that counts `distance` places on is from the element at `index`; none if
  // it is a zero.
  std::optional<std::int64_t> offset_of(const Axis& axis, std::int64_t index,
                                        std::int64_t distance) const {
    const std::int64_t own = axis.place(index);
    const auto source = source_of(own + distance, axis.length, boundary_);
    if (!source) return std::nullopt;
    return (*source - own) * axis.stride;
  }

  double star(const auto& values, std::int64_t index) const {
    if (is_fixed_ && is_near_face(index)) return values[index];
    double sum = coefficients_[0] * values[index];
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      for (std::int64_t r = 1; r <= radius_; ++r) {
        double pair = 0;
        for (const std::int64_t distance : {-r, r})
          if (const auto offset = offset_of(axes_[axis], index, distance))
            pair += values[index + *offset];
        sum += coefficients_[static_cast<std::int64_t>(axis) * radius_ + r] * pair;
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
  Boundary boundary_;
  std::vector<double> latest_;  // after all steps but the last, if there are several
};

}  // namespace

// Inputs are field, coefficients (c0, then radius ones for each of x, y and z) and the earlier
// output, which gaps between rows keep. Dimensions are width, height, depth, radius, pitch (width),
// steps and batch (1). The choice boundary ("zero") may be "fixed", too: points nearer to a face
// than the radius keep their values. Throws InputError if the pitch is below the width.
std::unique_ptr<HostReference> make_stencil3d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<StencilReference>(inputs);
}

}  // namespace tilewright
