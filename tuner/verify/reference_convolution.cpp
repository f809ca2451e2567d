#include <fmt/format.h>

#include <optional>

#include "tilewright/error.hpp"
#include "tuner/verify/reference_boundary.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

class Conv1dReference : public HostReference {
 public:
  explicit Conv1dReference(const ReferenceInputs& inputs)
      : length_(inputs.dimension("length")),
        taps_(inputs.dimension("taps")),
        signal_(inputs.input(0, length_ * inputs.dimension_or("batch", 1))),
        filter_(inputs.input(1, taps_)),
        boundary_(to_ghost_rule(inputs.choice_or("boundary", "zero"))),
        flips_(inputs.choice_or("flip", "no") == "yes") {}

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t start = index / length_ * length_;
    double sum = 0;
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const auto source = source_of(index - start + tap - taps_ / 2, length_, boundary_);
      if (source) sum += filter_[flips_ ? taps_ - 1 - tap : tap] * signal_[start + *source];
    }
    return sum;
  }
  std::int64_t multiply_adds() const override { return taps_; }
  std::int64_t row() const override { return length_; }

 private:
  std::int64_t length_;
  std::int64_t taps_;
  InputValues signal_;
  InputValues filter_;
  GhostRule boundary_;
  bool flips_;
};

// One axis of a volume: its samples, and the taps of the filter along it.
struct Axis {
  std::int64_t length = 1;
  std::int64_t taps = 1;
  std::int64_t anchor = 0;  // tap at an output's own place

  // The sample that `tap` of the output at `place` multiplies; nothing if it is zero.
  std::optional<std::int64_t> source(std::int64_t place, std::int64_t tap,
                                     GhostRule boundary) const {
    return source_of(place + tap - anchor, length, boundary);
  }
};

Axis axis_of(const ReferenceInputs& inputs, const std::string& length, const std::string& taps,
             const std::string& anchor) {
  Axis axis = {inputs.dimension(length), inputs.dimension(taps)};
  axis.anchor = inputs.dimension_or(anchor, axis.taps / 2);
  return axis;
}

// A filter of two or three dimensions; images are volumes of one plane.
class FilterReference : public HostReference {
 public:
  FilterReference(const ReferenceInputs& inputs, const Axis& z)
      : x_(axis_of(inputs, "width", "filter_width", "anchor_x")),
        y_(axis_of(inputs, "height", "filter_height", "anchor_y")),
        z_(z),
        pitch_(inputs.dimension_or("pitch", x_.length)),
        channels_(inputs.dimension_or("channels", 1)),
        filters_(inputs.choice_or("filters", "one") == "one" ? 1 : channels_),
        samples_(inputs.input(0, elements(inputs))),
        filter_(inputs.input(1, multiply_adds() * filters_)),
        before_(inputs.input(2, elements(inputs))),
        boundary_(to_ghost_rule(inputs.choice_or("boundary", "zero"))),
        flips_(inputs.choice_or("flip", "no") == "yes") {
    if (pitch_ < x_.length)
      throw InputError(fmt::format("pitch = {} is below width = {}", pitch_, x_.length));
  }

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t x = index % pitch_;
    if (x >= x_.length) return before_[index];
    const std::int64_t y = index / pitch_ % y_.length;
    const std::int64_t plane = index / pitch_ / y_.length;
    double sum = 0;
    for (std::int64_t k = 0; k < z_.taps; ++k) {
      const auto source = z_.source(plane % z_.length, k, boundary_);
      if (source) sum += plane_sum(plane / z_.length, *source, k, y, x);
    }
    return sum;
  }
  std::int64_t multiply_adds() const override { return x_.taps * y_.taps * z_.taps; }
  std::int64_t row() const override { return pitch_; }

 private:
  std::int64_t elements(const ReferenceInputs& inputs) const {
    return pitch_ * y_.length * z_.length * channels_ * inputs.dimension_or("batch", 1);
  }

  // The sum of plane k of the filter over plane z of a volume, for the output at (y, x).
  double plane_sum(std::int64_t volume, std::int64_t z, std::int64_t k, std::int64_t y,
                   std::int64_t x) const {
    double sum = 0;
    for (std::int64_t j = 0; j < y_.taps; ++j) {
      const auto source = y_.source(y, j, boundary_);
      if (!source) continue;
      const std::int64_t first_sample = ((volume * z_.length + z) * y_.length + *source) * pitch_;
      sum += row_sum(volume, first_sample, (k * y_.taps + j) * x_.taps, x);
    }
    return sum;
  }

  // The sum of a row of taps, from the filter's `first_tap` on, over a row of samples.
  double row_sum(std::int64_t volume, std::int64_t first_sample, std::int64_t first_tap,
                 std::int64_t x) const {
    double sum = 0;
    for (std::int64_t i = 0; i < x_.taps; ++i) {
      const auto source = x_.source(x, i, boundary_);
      if (source) sum += tap(volume, first_tap + i) * samples_[first_sample + *source];
    }
    return sum;
  }

  double tap(std::int64_t volume, std::int64_t place) const {
    const std::int64_t taps = multiply_adds();
    const std::int64_t first = filters_ == 1 ? 0 : volume % channels_ * taps;
    return filter_[first + (flips_ ? taps - 1 - place : place)];
  }

  Axis x_, y_, z_;
  std::int64_t pitch_;
  std::int64_t channels_, filters_;
  InputValues samples_, filter_, before_;
  GhostRule boundary_;
  bool flips_;
};

class SeparableReference : public HostReference {
 public:
  explicit SeparableReference(const ReferenceInputs& inputs)
      : height_(inputs.dimension("height")),
        width_(inputs.dimension("width")),
        taps_(inputs.dimension("taps")),
        image_(inputs.input(0, height_ * width_)),
        row_filter_(inputs.input(1, taps_)),
        column_filter_(inputs.input(2, taps_)),
        boundary_(to_ghost_rule(inputs.choice_or("boundary", "zero"))) {}

  double at(int /*argument*/, std::int64_t index) const override {
    double sum = 0;
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const auto row = source_of(index / width_ + tap - taps_ / 2, height_, boundary_);
      if (row) sum += column_filter_[tap] * filtered_row(*row, index % width_);
    }
    return sum;
  }
  std::int64_t multiply_adds() const override { return taps_ * taps_; }
  std::int64_t row() const override { return width_; }

 private:
  double filtered_row(std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const auto source = source_of(column + tap - taps_ / 2, width_, boundary_);
      if (source) sum += row_filter_[tap] * image_[row * width_ + *source];
    }
    return sum;
  }

  std::int64_t height_;
  std::int64_t width_;
  std::int64_t taps_;
  InputValues image_;
  InputValues row_filter_;
  InputValues column_filter_;
  GhostRule boundary_;
};

}  // namespace

std::unique_ptr<HostReference> make_conv1d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<Conv1dReference>(inputs);
}

std::unique_ptr<HostReference> make_conv2d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<FilterReference>(inputs, Axis());
}

std::unique_ptr<HostReference> make_conv3d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<FilterReference>(inputs,
                                           axis_of(inputs, "depth", "filter_depth", "anchor_z"));
}

std::unique_ptr<HostReference> make_separable_reference(const ReferenceInputs& inputs) {
  return std::make_unique<SeparableReference>(inputs);
}

}  // namespace tilewright
