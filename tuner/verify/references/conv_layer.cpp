#include <algorithm>
#include <array>
#include <optional>

#include "definition/text/errors.hpp"
#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

// One axis of an image: x, y or z.
struct LayerAxis {
  std::int64_t length, taps, stride, dilation, padding, outputs;

  // The place that the tap of an output meets; none where it is zero.
  std::optional<std::int64_t> source(std::int64_t output, std::int64_t tap,
                                     Boundary boundary) const {
    return source_of(output * stride - padding + tap * dilation, length, boundary);
  }
};

// An axis that a problem does not name has one place and one tap.
LayerAxis layer_axis(const ReferenceInputs& inputs, const std::string& length,
                     const std::string& axis) {
  const auto named = [&](const std::string& name, std::int64_t fallback) {
    return inputs.dimension_or(name, fallback);
  };
  LayerAxis found{named(length, 1),
                  named("filter_" + length, 1),
                  named("stride_" + axis, 1),
                  named("dilation_" + axis, 1),
                  named("padding_" + axis, 0),
                  0};
  const std::int64_t places =
      found.length + 2 * found.padding - found.dilation * (found.taps - 1) - 1;
  found.outputs = named(length + "_out", places / found.stride + 1);
  return found;
}

// Distances between neighbours along each axis, channels and images (or filters), in elements.
struct LayerStrides {
  // Arrays of `volumes` times `channels`, which lie side by side or are planes of their own.
  LayerStrides(std::array<std::int64_t, 3> lengths, std::int64_t channels_, bool is_planar)
      : channel(is_planar ? lengths[0] * lengths[1] * lengths[2] : 1),
        x(is_planar ? 1 : channels_),
        y(x * lengths[0]),
        z(y * lengths[1]),
        volume(lengths[0] * lengths[1] * lengths[2] * channels_),
        channels(channels_) {}

  std::int64_t channel, x, y, z, volume, channels;
};

class LayerReference : public HostReference {
 public:
  explicit LayerReference(const ReferenceInputs& inputs)
      : axes_{layer_axis(inputs, "width", "x"), layer_axis(inputs, "height", "y"),
              layer_axis(inputs, "depth", "z")},
        batch_(inputs.dimension_or("batch", 1)),
        groups_(inputs.dimension_or("groups", 1)),
        is_planar_(inputs.choice_or("layout", "nhwc") == "nchw"),
        image_strides_(lengths(&LayerAxis::length), inputs.dimension("channels_in"), is_planar_),
        filter_strides_(lengths(&LayerAxis::taps), image_strides_.channels / groups_,
                        inputs.choice_or("filter_layout", "krsc") == "kcrs"),
        output_strides_(lengths(&LayerAxis::outputs), inputs.dimension("channels_out"), is_planar_),
        image_(inputs.input(0, batch_ * image_strides_.volume)),
        filter_(inputs.input(1, output_strides_.channels * filter_strides_.volume)),
        boundary_(boundary_named(inputs.choice_or("boundary", "zero"))),
        alpha_(inputs.scalar_or("alpha", 1)),
        beta_(inputs.choice_or("accumulate", "no") == "yes" ? inputs.scalar_or("beta", 1) : 0) {
    if (beta_ != 0) before_ = inputs.input(2, batch_ * output_strides_.volume);
  }

  double at(int /*argument*/, std::int64_t index) const override {
    const LayerStrides& strides = output_strides_;
    const std::int64_t channel = index / strides.channel % strides.channels;
    const double sum =
        alpha_ * sum_at(index / strides.volume, channel,
                        {index / strides.x % axes_[0].outputs, index / strides.y % axes_[1].outputs,
                         index / strides.z % axes_[2].outputs});
    return beta_ == 0 ? sum : sum + beta_ * (*before_)[index];
  }
  std::int64_t multiply_adds() const override { return filter_strides_.volume; }
  std::int64_t row() const override {
    return is_planar_ ? axes_[0].outputs : output_strides_.channels;
  }

 private:
  std::array<std::int64_t, 3> lengths(std::int64_t LayerAxis::*of) const {
    return {axes_[0].*of, axes_[1].*of, axes_[2].*of};
  }

  double sum_at(std::int64_t image, std::int64_t channel,
                const std::array<std::int64_t, 3>& place) const {
    const std::int64_t group = channel / (output_strides_.channels / groups_);
    const std::int64_t first =
        image * image_strides_.volume + group * filter_strides_.channels * image_strides_.channel;
    const std::int64_t filter = channel * filter_strides_.volume;
    double sum = 0;
    for (std::int64_t k = 0; k < axes_[2].taps; ++k) {
      const auto z = axes_[2].source(place[2], k, boundary_);
      for (std::int64_t j = 0; z && j < axes_[1].taps; ++j) {
        const auto y = axes_[1].source(place[1], j, boundary_);
        for (std::int64_t i = 0; y && i < axes_[0].taps; ++i) {
          const auto x = axes_[0].source(place[0], i, boundary_);
          if (x)
            sum += over_channels(
                first + *z * image_strides_.z + *y * image_strides_.y + *x * image_strides_.x,
                filter + k * filter_strides_.z + j * filter_strides_.y + i * filter_strides_.x);
        }
      }
    }
    return sum;
  }

  double over_channels(std::int64_t sample, std::int64_t tap) const {
    double sum = 0;
    for (std::int64_t c = 0; c < filter_strides_.channels; ++c)
      sum +=
          image_[sample + c * image_strides_.channel] * filter_[tap + c * filter_strides_.channel];
    return sum;
  }

  std::array<LayerAxis, 3> axes_;  // x, y, z
  std::int64_t batch_, groups_;
  bool is_planar_;
  LayerStrides image_strides_, filter_strides_, output_strides_;
  InputValues image_, filter_;
  Boundary boundary_;
  double alpha_, beta_;
  std::optional<InputValues> before_;
};

}  // namespace

// output = alpha · (sum over a group's channels and taps of filter · image) + beta · output.
// Defaults are in parentheses. Inputs are image, filter and, if it is used, the earlier output.
// Dimensions are channels_in, channels_out, batch and groups (1), and for each axis, of which
// depth, z stands for the others: depth, filter_depth, stride_z, dilation_z (1), padding_z (0),
// depth_out (what as much padding after as before leaves). Choices are layout ("nhwc"),
// filter_layout ("krsc"), boundary ("zero") and accumulate ("no": without beta · output). Scalars
// are alpha and beta (1).
std::unique_ptr<HostReference> make_conv_layer_reference(const ReferenceInputs& inputs) {
  const std::int64_t groups = inputs.dimension_or("groups", 1);
  for (const char* const name : {"channels_in", "channels_out"})
    if (groups < 1 || inputs.dimension(name) % groups != 0)
      throw bad_input("groups = {} does not divide {} = {}", groups, name, inputs.dimension(name));
  return std::make_unique<LayerReference>(inputs);
}

}  // namespace tilewright
