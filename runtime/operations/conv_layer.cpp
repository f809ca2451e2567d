#include "tilewright/conv_layer.hpp"

#include "runtime/operations/product_call.hpp"

namespace tilewright {

template <>
struct CallTraits<ConvLayerCall> : AnyProduct {
  static constexpr const char* kOperation = "conv_layer";

  static Settings choices(const ConvLayerOptions& options) {
    Settings choices{
        {"layout", options.layout == ImageLayout::nhwc ? "nhwc" : "nchw"},
        {"filter_layout", options.filter_layout == FilterLayout::krsc ? "krsc" : "kcrs"},
        {"boundary", to_text(options.boundary)}};
    if (options.accuracy == ConvolutionOptions::Accuracy::elementwise)
      choices["accuracy"] = "elementwise";
    return choices;
  }

  static auto sizes(const ConvLayerCall& call) {
    return std::to_array<Size>({{"batch", call.batch},
                                {"channels_in", call.channels_in},
                                {"channels_out", call.channels_out},
                                {"groups", call.groups},
                                {"width", call.width},
                                {"height", call.height},
                                {"depth", call.depth},
                                {"filter_width", call.filter_width},
                                {"filter_height", call.filter_height},
                                {"filter_depth", call.filter_depth},
                                {"stride_x", call.stride_x},
                                {"stride_y", call.stride_y},
                                {"stride_z", call.stride_z},
                                {"dilation_x", call.dilation_x},
                                {"dilation_y", call.dilation_y},
                                {"dilation_z", call.dilation_z},
                                {"padding_x", call.padding_x},
                                {"padding_y", call.padding_y},
                                {"padding_z", call.padding_z},
                                {"width_out", or_default(call.width_out)},
                                {"height_out", or_default(call.height_out)},
                                {"depth_out", or_default(call.depth_out)}});
  }

  // A bit for a prepared filter and one for a beta, a byte for the precision and one for each type.
  static std::int64_t with_prepared(std::int64_t number) { return number | 1; }
  static std::int64_t number(const ConvLayerCall& call) {
    const auto byte = [](ElementType type) { return static_cast<std::int64_t>(type); };
    return (call.prepared_filter != nullptr ? 1 : 0) | (call.beta != 0 ? 2 : 0) |
           number_of(call.precision) << 8 | byte(call.image.type()) << 16 |
           byte(call.output.type()) << 24;
  }
  static Settings settings(std::int64_t number) {
    const auto byte = [&](int place) { return static_cast<std::size_t>(number >> place & 0xFF); };
    Settings settings = {{"accumulate", (number & 2) != 0 ? "yes" : "no"},
                         {"type", to_text(static_cast<ElementType>(byte(16)))},
                         {"type_out", to_text(static_cast<ElementType>(byte(24)))}};
    if ((number & 1) != 0) settings["filter"] = "prepared";
    if (byte(8) != 0) settings["precision"] = precision_name(byte(8));
    return settings;
  }

  static Operand filter_of(const ConvLayerCall& call) {
    return call.prepared_filter == nullptr ? Operand(call.filter) : Operand(*call.prepared_filter);
  }
  static std::array<Operand, 5> operands(const ConvLayerCall& call, const Kernel& kernel) {
    return {call.image, filter_of(call), call.output,
            scalar_of(kernel, kOperation, kAlpha, call.alpha),
            scalar_of(kernel, kOperation, kBeta, call.beta)};
  }
};

template class Typed<ConvLayerCall, ConvLayerOptions>;
template PreparedInput ConvLayer::prepare_filter<>(void*, const ConvLayerCall&) const;

}  // namespace tilewright
