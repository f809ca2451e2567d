#include "tilewright/convolution.hpp"

#include <fmt/format.h>

#include "runtime/operations/typed_call.hpp"
#include "tilewright/error.hpp"
#include "tilewright/volume.hpp"

namespace tilewright {

// What the calls of filters of one, two and three dimensions share.
struct CallOfAFilter : CallOfOneType {
  static Settings filter_choices(const ConvolutionOptions& options) {
    const bool flips = options.flip == ConvolutionOptions::Flip::yes;
    Settings choices{{"boundary", to_text(options.boundary)}, {"flip", flips ? "yes" : "no"}};
    if (options.accuracy == ConvolutionOptions::Accuracy::elementwise)
      choices["accuracy"] = "elementwise";
    return choices;
  }
  // Those of operations whose channels may have filters of their own.
  static Settings choices(const ConvolutionOptions& options) {
    Settings choices = filter_choices(options);
    const bool is_one = options.filters == ConvolutionOptions::Filters::one;
    choices["filters"] = is_one ? "one" : "per_channel";
    return choices;
  }
  static bool has_values(const auto& call) { return filter_of(call).values() != nullptr; }

  // The number of the further settings is twice that of the type, and 1 more with a prepared
  // filter.
  static std::int64_t with_prepared(std::int64_t number) { return number | 1; }
  static std::int64_t number_of(const auto& call, ElementType type) {
    const std::int64_t plain = 2 * CallOfOneType::number_of(type);
    return prepared_of(call) == nullptr ? plain : with_prepared(plain);
  }
  static Settings settings(std::int64_t number) {
    Settings settings = CallOfOneType::settings(number / 2);
    if (number % 2 != 0) settings["filter"] = "prepared";
    return settings;
  }

  // Null also for calls that have none.
  static const PreparedInput* prepared_of(const auto& call) {
    if constexpr (requires { call.prepared_filter; }) return call.prepared_filter;
    return nullptr;
  }
  static Operand filter_of(const auto& call) {
    const PreparedInput* const prepared = prepared_of(call);
    return prepared == nullptr ? filter_of(call.filter, call.filter_values) : Operand(*prepared);
  }
  // Throws InputError if the values are of another type.
  static Operand filter_of(ConstElementPointer filter, ConstElementPointer values) {
    const Operand operand(filter);
    if (values.memory() == nullptr) return operand;
    if (values.type() != filter.type())
      throw InputError(
          fmt::format("a filter of {} has filter_values of {}; give a copy of the filter",
                      to_text(filter.type()), to_text(values.type())));
    return operand.with_values(values.memory());
  }
};

template <>
struct CallTraits<Convolution1dCall> : CallOfAFilter {
  static constexpr const char* kOperation = "conv1d";

  static Settings choices(const ConvolutionOptions& options) {
    if (options.filters != ConvolutionOptions::Filters::one)
      throw InputError(
          "conv1d: all signals share one filter; a filter per channel is not supported");
    return filter_choices(options);
  }
  static auto sizes(const Convolution1dCall& call) {
    return std::to_array<Size>(
        {{"length", call.length}, {"taps", call.taps}, {"batch", call.batch}});
  }
  static std::int64_t number(const Convolution1dCall& call) {
    return number_of(call, call.signal.type());
  }
  static std::array<Operand, 3> operands(const Convolution1dCall& call, const Kernel& /*kernel*/) {
    return {call.signal, filter_of(call), call.output};
  }
};

// What both calls of images have in common.
struct CallOfImages : CallOfAFilter {
  static auto sizes(const auto& call) {
    return std::to_array<Size>({{"width", call.width},
                                {"height", call.height},
                                {"pitch", unless_zero(call.pitch)},
                                {"filter_width", call.filter_width},
                                {"filter_height", call.filter_height},
                                {"anchor_x", or_default(call.anchor_x)},
                                {"anchor_y", or_default(call.anchor_y)},
                                {"channels", call.channels},
                                {"batch", call.batch}});
  }
  static std::int64_t number(const auto& call) { return number_of(call, call.image.type()); }
};

template <>
struct CallTraits<Convolution2dCall> : CallOfImages {
  static constexpr const char* kOperation = "conv2d";

  static std::array<Operand, 3> operands(const Convolution2dCall& call, const Kernel& /*kernel*/) {
    return {call.image, filter_of(call), call.output};
  }
};

template <>
struct CallTraits<SeparableConvolution2dCall> : CallOfImages {
  static constexpr const char* kOperation = "conv2d_separable";

  static const SeparableConvolution2dCall& completed(const SeparableConvolution2dCall& call,
                                                     const ConvolutionOptions& /*options*/) {
    if ((call.row_filter_values.memory() == nullptr) !=
        (call.column_filter_values.memory() == nullptr))
      throw InputError(
          "conv2d_separable: give row_filter_values and column_filter_values, or neither");
    return call;
  }
  static bool has_values(const SeparableConvolution2dCall& call) {
    return call.row_filter_values.memory() != nullptr;
  }
  static std::array<Operand, 4> operands(const SeparableConvolution2dCall& call,
                                         const Kernel& /*kernel*/) {
    return {call.image, filter_of(call.row_filter, call.row_filter_values),
            filter_of(call.column_filter, call.column_filter_values), call.output};
  }
};

template <>
struct CallTraits<Convolution3dCall> : CallOfAFilter {
  static constexpr const char* kOperation = "conv3d";

  static auto sizes(const Convolution3dCall& call) {
    return std::to_array<Size>({{"width", call.width},
                                {"height", call.height},
                                {"depth", call.depth},
                                {"pitch", unless_zero(call.pitch)},
                                {"filter_width", call.filter_width},
                                {"filter_height", call.filter_height},
                                {"filter_depth", call.filter_depth},
                                {"anchor_x", or_default(call.anchor_x)},
                                {"anchor_y", or_default(call.anchor_y)},
                                {"anchor_z", or_default(call.anchor_z)},
                                {"channels", call.channels},
                                {"batch", call.batch}});
  }
  static std::int64_t number(const Convolution3dCall& call) {
    return number_of(call, call.volume.type());
  }
  static std::array<Operand, 3> operands(const Convolution3dCall& call, const Kernel& /*kernel*/) {
    return {call.volume, filter_of(call), call.output};
  }
};

template class Typed<Convolution1dCall, ConvolutionOptions>;
template class Typed<Convolution2dCall, ConvolutionOptions>;
template class Typed<Convolution3dCall, ConvolutionOptions>;
template class Typed<SeparableConvolution2dCall, ConvolutionOptions>;
template PreparedInput Convolution1d::prepare_filter<>(void*, const Convolution1dCall&) const;
template PreparedInput Convolution2d::prepare_filter<>(void*, const Convolution2dCall&) const;

}  // namespace tilewright
