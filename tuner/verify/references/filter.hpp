#pragma once

#include "definition/text/errors.hpp"
#include "tuner/verify/reference_builtins.hpp"

// What the references of filters of two and three dimensions share.
namespace tilewright {

// One axis of a volume: its samples, and the taps of the filter along it.
struct Axis {
  std::int64_t length = 1;
  std::int64_t taps = 1;
  std::int64_t anchor = 0;  // tap at an output's own place

  // The sum, for the output at `place`, of what `term(tap, source)` gives for each tap whose sample
  // is not zero by the boundary.
  double sum(std::int64_t place, Boundary boundary, const auto& term) const {
    double sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const auto source = source_of(place + tap - anchor, length, boundary);
      if (source) sum += term(tap, *source);
    }
    return sum;
  }
};

inline Axis axis_of(const ReferenceInputs& inputs, const std::string& length, std::int64_t taps,
                    const std::string& anchor) {
  return {inputs.dimension(length), taps, inputs.dimension_or(anchor, taps / 2)};
}

// Volumes in memory, of which images are those of one plane, and how filters lie on them.
struct Volumes {
  Volumes(const ReferenceInputs& inputs, std::int64_t taps_x, std::int64_t taps_y,
          const Axis& axis_z)
      : x(axis_of(inputs, "width", taps_x, "anchor_x")),
        y(axis_of(inputs, "height", taps_y, "anchor_y")),
        z(axis_z),
        pitch(inputs.dimension_or("pitch", x.length)),
        channels(inputs.dimension_or("channels", 1)),
        filters(inputs.choice_or("filters", "one") == "one" ? 1 : channels),
        elements(pitch * y.length * z.length * channels * inputs.dimension_or("batch", 1)),
        samples(inputs.input(0, elements)),
        boundary(boundary_named(inputs.choice_or("boundary", "zero"))),
        flips(inputs.choice_or("flip", "no") == "yes") {
    if (pitch < x.length) throw bad_input("pitch = {} is below width = {}", pitch, x.length);
  }

  // The sum of what `tap(place)` gives for each tap along a row, times its sample of row y of plane
  // z of a volume.
  double row_sum(std::int64_t volume, std::int64_t at_z, std::int64_t at_y, std::int64_t at_x,
                 const auto& tap) const {
    const std::int64_t first = ((volume * z.length + at_z) * y.length + at_y) * pitch;
    return x.sum(at_x, boundary, [&](std::int64_t place, std::int64_t source) {
      return tap(place) * samples[first + source];
    });
  }

  // Where a tap of `taps` lies in a filter that may be one of several.
  std::int64_t place_of(std::int64_t volume, std::int64_t tap, std::int64_t taps) const {
    const std::int64_t first = filters == 1 ? 0 : volume % channels * taps;
    return first + (flips ? taps - 1 - tap : tap);
  }

  Axis x, y, z;
  std::int64_t pitch;
  std::int64_t channels, filters;
  std::int64_t elements;
  InputValues samples;
  Boundary boundary;
  bool flips;
};

// A filter of two or three dimensions.
class FilterReference : public HostReference {
 public:
  FilterReference(const ReferenceInputs& inputs, const Axis& z)
      : volumes_(inputs, inputs.dimension("filter_width"), inputs.dimension("filter_height"), z),
        filter_(inputs.input(1, multiply_adds() * volumes_.filters)),
        before_(inputs.input(2, volumes_.elements)) {}

  double at(int /*argument*/, std::int64_t index) const override {
    const Axis& x = volumes_.x;
    const Axis& y = volumes_.y;
    const Axis& z = volumes_.z;
    const std::int64_t at_x = index % volumes_.pitch;
    if (at_x >= x.length) return before_[index];
    const std::int64_t at_y = index / volumes_.pitch % y.length;
    const std::int64_t plane = index / volumes_.pitch / y.length;
    const std::int64_t volume = plane / z.length;
    const Boundary boundary = volumes_.boundary;
    return z.sum(plane % z.length, boundary, [&](std::int64_t k, std::int64_t source_z) {
      return y.sum(at_y, boundary, [&](std::int64_t j, std::int64_t source_y) {
        return volumes_.row_sum(volume, source_z, source_y, at_x, [&](std::int64_t i) {
          return filter_[volumes_.place_of(volume, (k * y.taps + j) * x.taps + i, multiply_adds())];
        });
      });
    });
  }
  std::int64_t multiply_adds() const override {
    return volumes_.x.taps * volumes_.y.taps * volumes_.z.taps;
  }
  std::int64_t row() const override { return volumes_.pitch; }

 private:
  Volumes volumes_;
  InputValues filter_, before_;
};

}  // namespace tilewright
