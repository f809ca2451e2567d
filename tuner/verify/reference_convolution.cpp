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

// Planes of images in memory, and where a filter of that size lies on them.
struct Planes {
  Planes(const ReferenceInputs& inputs, std::int64_t taps_across, std::int64_t taps_down)
      : width(inputs.dimension("width")),
        height(inputs.dimension("height")),
        pitch(inputs.dimension_or("pitch", width)),
        filter_width(taps_across),
        filter_height(taps_down),
        anchor_x(inputs.dimension_or("anchor_x", filter_width / 2)),
        anchor_y(inputs.dimension_or("anchor_y", filter_height / 2)),
        channels(inputs.dimension_or("channels", 1)),
        filters(inputs.choice_or("filters", "one") == "one" ? 1 : channels),
        elements(pitch * height * channels * inputs.dimension_or("batch", 1)),
        image(inputs.input(0, elements)),
        boundary(to_boundary(inputs.choice_or("boundary", "zero"))),
        flips(inputs.choice_or("flip", "no") == "yes") {
    if (pitch < width)
      throw InputError(fmt::format("pitch = {} is below width = {}", pitch, width));
  }

  // The sum of what `tap(place)` gives for each tap across, times its sample of a row of the image.
  double row_sum(std::int64_t plane, std::int64_t row, std::int64_t x, const auto& tap) const {
    const std::int64_t samples = (plane * height + row) * pitch;
    double sum = 0;
    for (std::int64_t column = 0; column < filter_width; ++column) {
      const auto source = source_of(x + column - anchor_x, width, boundary);
      if (source) sum += tap(column) * image[samples + *source];
    }
    return sum;
  }

  // The sum of what `row_sum(row, source)` gives for each row of the filter and that of the image.
  double sum(std::int64_t y, const auto& row_sum) const {
    double sum = 0;
    for (std::int64_t row = 0; row < filter_height; ++row) {
      const auto source = source_of(y + row - anchor_y, height, boundary);
      if (source) sum += row_sum(row, *source);
    }
    return sum;
  }

  // Where a tap of `taps` lies in a filter that may be one of several.
  std::int64_t place_of(std::int64_t plane, std::int64_t tap, std::int64_t taps) const {
    const std::int64_t first = filters == 1 ? 0 : plane % channels * taps;
    return first + (flips ? taps - 1 - tap : tap);
  }

  std::int64_t width, height, pitch;
  std::int64_t filter_width, filter_height;
  std::int64_t anchor_x, anchor_y;
  std::int64_t channels, filters, elements;
  InputValues image;
  Boundary boundary;
  bool flips;
};

class Conv2dReference : public HostReference {
 public:
  explicit Conv2dReference(const ReferenceInputs& inputs)
      : planes_(inputs, inputs.dimension("filter_width"), inputs.dimension("filter_height")),
        filter_(inputs.input(1, taps() * planes_.filters)),
        before_(inputs.input(2, planes_.elements)) {}

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t x = index % planes_.pitch;
    if (x >= planes_.width) return before_[index];
    const std::int64_t row = index / planes_.pitch;
    const std::int64_t plane = row / planes_.height;
    return planes_.sum(row % planes_.height, [&](std::int64_t filter_row, std::int64_t source) {
      return planes_.row_sum(plane, source, x, [&](std::int64_t column) {
        return filter_[planes_.place_of(plane, filter_row * planes_.filter_width + column, taps())];
      });
    });
  }
  std::int64_t multiply_adds() const override { return taps(); }
  std::int64_t row() const override { return planes_.pitch; }

 private:
  std::int64_t taps() const { return planes_.filter_width * planes_.filter_height; }

  Planes planes_;
  InputValues filter_, before_;
};

// The length of one of two filters, which have one length where a problem has `taps`.
std::int64_t taps_along(const ReferenceInputs& inputs, const char* name) {
  const std::int64_t both = inputs.dimension_or("taps", 0);
  return both > 0 ? both : inputs.dimension(name);
}

class SeparableReference : public HostReference {
 public:
  explicit SeparableReference(const ReferenceInputs& inputs)
      : planes_(inputs, taps_along(inputs, "filter_width"), taps_along(inputs, "filter_height")),
        row_filter_(inputs.input(1, planes_.filter_width * planes_.filters)),
        column_filter_(inputs.input(2, planes_.filter_height * planes_.filters)) {
    if (planes_.pitch > planes_.width) before_.emplace(inputs.input(3, planes_.elements));
  }

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t x = index % planes_.pitch;
    if (x >= planes_.width) return (*before_)[index];
    const std::int64_t row = index / planes_.pitch;
    const std::int64_t plane = row / planes_.height;
    return planes_.sum(row % planes_.height, [&](std::int64_t tap, std::int64_t source) {
      return column_filter_[planes_.place_of(plane, tap, planes_.filter_height)] *
             planes_.row_sum(plane, source, x, [&](std::int64_t column) {
               return row_filter_[planes_.place_of(plane, column, planes_.filter_width)];
             });
    });
  }
  std::int64_t multiply_adds() const override {
    return planes_.filter_width * planes_.filter_height;
  }
  std::int64_t row() const override { return planes_.pitch; }

 private:
  Planes planes_;
  InputValues row_filter_, column_filter_;
  std::optional<InputValues> before_;  // only where there are gaps between rows
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
