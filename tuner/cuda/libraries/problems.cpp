#include "tuner/cuda/libraries/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace tilewright::cuda {
namespace {

// By the name of the snippet, whose text the manifest names.
LtProblem::Epilogue epilogue_named(const std::string& snippet) {
  using Epilogue = LtProblem::Epilogue;
  static constexpr auto kAll =
      std::to_array<std::pair<std::string_view, Epilogue>>({{"relu", Epilogue::relu},
                                                            {"bias", Epilogue::bias},
                                                            {"bias_relu", Epilogue::bias_relu},
                                                            {"gelu", Epilogue::gelu},
                                                            {"bias_gelu", Epilogue::bias_gelu}});
  const auto* const found =
      std::ranges::find(kAll, snippet, [](const auto& one) { return one.first; });
  if (found == kAll.end()) throw LibraryError(fmt::format("has no epilogue '{}'", snippet));
  return found->second;
}

// As an int, which the library takes.
int small(const std::string& name, std::int64_t value) {
  if (value > std::numeric_limits<int>::max())
    throw LibraryError(fmt::format("a {} of {} does not fit 32 bits", name, value));
  return static_cast<int>(value);
}

}  // namespace

std::int64_t RoutineValues::number(const std::string& name) const {
  const auto* const number = std::get_if<std::int64_t>(&find(name));
  if (number == nullptr) throw LibraryError(fmt::format("'{}' is not a number", name));
  return *number;
}

std::string RoutineValues::label(const std::string& name) const {
  return to_text(find(name));
}

ElementType RoutineValues::type(const std::string& argument) const {
  const auto type = type_named(label(argument));
  if (!type) throw LibraryError(fmt::format("'{}' has no type", argument));
  return *type;
}

std::optional<std::size_t> RoutineValues::place(const std::string& argument) const {
  const auto found = std::ranges::find(routine_.arguments, argument);
  if (found == routine_.arguments.end()) return std::nullopt;
  return static_cast<std::size_t>(found - routine_.arguments.begin());
}

LtNumbers RoutineValues::numbers() const {
  LtNumbers all;
  for (const auto& [name, value] : routine_.values)
    if (const auto* const number = std::get_if<std::int64_t>(&value)) all.emplace(name, *number);
  return all;
}

const Value& RoutineValues::find(const std::string& name) const {
  const auto found = routine_.values.find(name);
  if (found == routine_.values.end())
    throw LibraryError(fmt::format("the problem has no '{}'", name));
  return found->second;
}

LtProblem product_of(const RoutineValues& values) {
  LtProblem problem;
  for (const auto& [name, member] : {std::pair("M", &LtProblem::m),
                                     {"N", &LtProblem::n},
                                     {"K", &LtProblem::k},
                                     {"batch", &LtProblem::batch},
                                     {"lda", &LtProblem::lda},
                                     {"ldb", &LtProblem::ldb},
                                     {"ldc", &LtProblem::ldc},
                                     {"stride_a", &LtProblem::stride_a},
                                     {"stride_b", &LtProblem::stride_b},
                                     {"stride_c", &LtProblem::stride_c}})
    problem.*member = values.number(name);
  problem.transpose_a = values.label("transpose_a") == "yes";
  problem.transpose_b = values.label("transpose_b") == "yes";
  problem.types = {values.type("a"), values.type("b"), values.type("c"), values.type("alpha"),
                   values.label("precision")};
  if (values.has("epilogue")) problem.epilogue = epilogue_named(values.label("epilogue"));
  if (values.place(kBiasArgument)) problem.bias = values.type(kBiasArgument);
  return problem;
}

ConvolutionProblem convolution_of(const RoutineValues& values) {
  using Axes = ConvolutionProblem::Axes;
  using Layout = ConvolutionProblem::Layout;
  constexpr std::array kSizes = {"depth", "height", "width"};
  constexpr std::array kAxes = {"z", "y", "x"};
  const auto number = [&](const std::string& name, int usual = 1) {
    return values.has(name) ? small(name, values.number(name)) : usual;
  };
  const auto axes = [&](const std::string& before, const std::array<const char*, 3>& names,
                        const char* after = "") {
    return Axes{number(before + names[0] + after), number(before + names[1] + after),
                number(before + names[2] + after)};
  };
  const auto is = [&](const char* name, const char* label) {
    return values.has(name) && values.label(name) == label;
  };
  // A filter of images (conv2d) has the channels of each plane on its own.
  const bool is_layer = values.has("groups");
  const int planes = is("filters", "per_channel") ? number("channels") : 1;
  const Axes image = axes("", kSizes);
  ConvolutionProblem problem = {
      .batch = small("batch", std::int64_t{number("batch")} * (number("channels") / planes)),
      .channels_in = is_layer ? number("channels_in") : planes,
      .channels_out = is_layer ? number("channels_out") : planes,
      .groups = is_layer ? number("groups") : planes,
      .image = image,
      .output = is_layer ? axes("", kSizes, "_out") : image,
      .filter = axes("filter_", kSizes),
      .stride = axes("stride_", kAxes),
      .dilation = axes("dilation_", kAxes),
      .padding =
          is_layer ? axes("padding_", kAxes) : Axes{0, number("anchor_y"), number("anchor_x")},
      .pitch = number("pitch", 0),
      .layout = is("layout", "nhwc") ? Layout::channels_last : Layout::channels_first,
      .filter_layout = is("filter_layout", "krsc") ? Layout::channels_last : Layout::channels_first,
      .taps = is("flip", "yes") ? ConvolutionProblem::Taps::reversed
                                : ConvolutionProblem::Taps::in_order,
      .type = values.type("image"),
      .precision = values.has("precision") ? values.label("precision") : "float32"};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const std::int64_t reach = std::int64_t{problem.dilation.at(i)} * (problem.filter.at(i) - 1);
    const std::int64_t room =
        problem.image.at(i) + 2 * std::int64_t{problem.padding.at(i)} - reach - 1;
    if (room < 0 || room / problem.stride.at(i) + 1 != problem.output.at(i))
      throw LibraryError(fmt::format("pads both sides alike, which gives another {} than {}",
                                     kSizes.at(i), problem.output.at(i)));
  }
  return problem;
}

}  // namespace tilewright::cuda
