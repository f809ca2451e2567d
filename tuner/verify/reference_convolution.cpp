#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tilewright/error.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

enum class Boundary { zero, replicate, reflect, mirror, wrap };

Boundary to_boundary(const std::string& label) {
  if (label == "zero") return Boundary::zero;
  if (label == "replicate") return Boundary::replicate;
  if (label == "reflect") return Boundary::reflect;
  if (label == "mirror") return Boundary::mirror;
  if (label == "wrap") return Boundary::wrap;
  throw InputError(
      fmt::format("no boundary '{}'; there are zero, replicate, reflect, mirror and wrap", label));
}

// The index of the sample that stands at `index`; nothing if it is zero. It moves into the signal
// one reflection or period at a time, as the definitions say.
std::optional<std::int64_t> source_of(std::int64_t index, std::int64_t length, Boundary boundary) {
  if (boundary == Boundary::replicate) return std::clamp<std::int64_t>(index, 0, length - 1);
  if (boundary == Boundary::mirror && length == 1) return 0;
  while (index < 0 || index >= length) {
    switch (boundary) {
      case Boundary::reflect:
        index = index < 0 ? -1 - index : 2 * length - 1 - index;
        break;
      case Boundary::mirror:
        index = index < 0 ? -index : 2 * length - 2 - index;
        break;
      case Boundary::wrap:
        index += index < 0 ? length : -length;
        break;
      default:
        return std::nullopt;
    }
  }
  return index;
}

class Conv1dReference : public HostReference {
 public:
  explicit Conv1dReference(const ReferenceInputs& inputs)
      : length_(inputs.dimension("length")),
        taps_(inputs.dimension("taps")),
        signal_(inputs.input(0, length_ * inputs.dimension_or("batch", 1))),
        filter_(inputs.input(1, taps_)),
        boundary_(to_boundary(inputs.choice_or("boundary", "zero"))),
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
  Boundary boundary_;
  bool flips_;
};

class Conv2dReference : public HostReference {
 public:
  explicit Conv2dReference(const ReferenceInputs& inputs)
      : width_(inputs.dimension("width")),
        height_(inputs.dimension("height")),
        pitch_(inputs.dimension_or("pitch", width_)),
        filter_width_(inputs.dimension("filter_width")),
        filter_height_(inputs.dimension("filter_height")),
        anchor_x_(inputs.dimension_or("anchor_x", filter_width_ / 2)),
        anchor_y_(inputs.dimension_or("anchor_y", filter_height_ / 2)),
        channels_(inputs.dimension_or("channels", 1)),
        filters_(inputs.choice_or("filters", "one") == "one" ? 1 : channels_),
        image_(inputs.input(0, elements(inputs))),
        filter_(inputs.input(1, filter_width_ * filter_height_ * filters_)),
        before_(inputs.input(2, elements(inputs))),
        boundary_(to_boundary(inputs.choice_or("boundary", "zero"))),
        flips_(inputs.choice_or("flip", "no") == "yes") {
    if (pitch_ < width_)
      throw InputError(fmt::format("pitch = {} is below width = {}", pitch_, width_));
  }

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t x = index % pitch_;
    const std::int64_t y = index / pitch_ % height_;
    if (x >= width_) return before_[index];
    const std::int64_t plane = index / pitch_ / height_;
    double sum = 0;
    for (std::int64_t row = 0; row < filter_height_; ++row) {
      const auto source = source_of(y + row - anchor_y_, height_, boundary_);
      if (source) sum += row_sum(plane, *source, row, x);
    }
    return sum;
  }
  std::int64_t multiply_adds() const override { return filter_width_ * filter_height_; }
  std::int64_t row() const override { return pitch_; }

 private:
  std::int64_t elements(const ReferenceInputs& inputs) const {
    return pitch_ * height_ * channels_ * inputs.dimension_or("batch", 1);
  }

  // The sum of one row of the filter over one row of the image.
  double row_sum(std::int64_t plane, std::int64_t image_row, std::int64_t filter_row,
                 std::int64_t x) const {
    const std::int64_t samples = (plane * height_ + image_row) * pitch_;
    double sum = 0;
    for (std::int64_t column = 0; column < filter_width_; ++column) {
      const auto source = source_of(x + column - anchor_x_, width_, boundary_);
      if (source) sum += tap(plane, filter_row, column) * image_[samples + *source];
    }
    return sum;
  }

  double tap(std::int64_t plane, std::int64_t row, std::int64_t column) const {
    const std::int64_t taps = filter_width_ * filter_height_;
    const std::int64_t place = row * filter_width_ + column;
    const std::int64_t first = filters_ == 1 ? 0 : plane % channels_ * taps;
    return filter_[first + (flips_ ? taps - 1 - place : place)];
  }

  std::int64_t width_, height_, pitch_;
  std::int64_t filter_width_, filter_height_;
  std::int64_t anchor_x_, anchor_y_;
  std::int64_t channels_, filters_;
  InputValues image_, filter_, before_;
  Boundary boundary_;
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
        boundary_(to_boundary(inputs.choice_or("boundary", "zero"))) {}

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
  Boundary boundary_;
};

}  // namespace

std::unique_ptr<HostReference> make_conv1d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<Conv1dReference>(inputs);
}

std::unique_ptr<HostReference> make_conv2d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<Conv2dReference>(inputs);
}

std::unique_ptr<HostReference> make_separable_reference(const ReferenceInputs& inputs) {
  return std::make_unique<SeparableReference>(inputs);
}

}  // namespace tilewright
