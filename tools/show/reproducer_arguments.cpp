#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "definition/text/escape.hpp"
#include "tools/show/reproducer.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright::tools {
namespace {

// Correlation and border, if there are any.
std::string image_text(const Fill& fill) {
  if (fill.correlation == 1 && fill.border == 0) return "";
  return fmt::format(", {}, {}, {}, {}", fill.correlation, fill.border, fill.rows, fill.columns);
}

// Where the elements begin. 0 if it cannot be read here; then the program says so.
std::size_t begin_in_file(const PlannedBuffer& buffer) try {
  return is_npy(buffer.fill.file) ? npy_offset(buffer.fill.file, buffer.type, buffer.count) : 0;
} catch (const InputError&) {
  return 0;
}

std::string fill_text(const Fill& fill) {
  if (fill.kind == Fill::Kind::normal)
    return fmt::format("{{Filling::normal, {}, {}{}}}", fill.mean, fill.deviation,
                       image_text(fill));
  const char* const kind = fill.kind == Fill::Kind::uniform       ? "uniform"
                           : fill.kind == Fill::Kind::integers    ? "integers"
                           : fill.kind == Fill::Kind::sorted      ? "sorted"
                           : fill.kind == Fill::Kind::offsets     ? "offsets"
                           : fill.kind == Fill::Kind::permutation ? "permutation"
                                                                  : "constant";
  const auto number = [](double value) {
    return std::isinf(value) ? std::string(value < 0 ? "-HUGE_VAL" : "HUGE_VAL")
                             : fmt::format("{}", value);
  };
  return fmt::format("{{Filling::{}, {}, {}{}}}", kind, number(fill.low), number(fill.high),
                     image_text(fill));
}

std::string tensor_map_mode(const char* what, std::int64_t bytes, const char* unit) {
  const std::string size = bytes == 0 ? "NONE" : fmt::format(fmt::runtime(unit), bytes);
  return fmt::format("CU_TENSOR_MAP_{}_{}", what, size);
}

std::string map_text(const PlannedArgument& argument) {
  const PlannedTensorMap& map = argument.map;
  std::vector<std::int64_t> strides = map.strides;
  for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(size_of(map.type));
  std::string further;  // the members of Box have this order
  const bool has_strides = !map.element_strides.empty();
  if (map.nan_fill || has_strides)
    further = fmt::format(", CU_TENSOR_MAP_FLOAT_OOB_FILL_{}",
                          map.nan_fill ? "NAN_REQUEST_ZERO_FMA" : "NONE");
  if (has_strides)
    further += fmt::format(", {{{}}}, {{{}}}, {{{}}}", fmt::join(map.lower_corner, ", "),
                           fmt::join(map.upper_corner, ", "), fmt::join(map.element_strides, ", "));
  const bool is_of_workspace = argument.kind == PlannedArgument::Kind::workspace_map;
  return fmt::format(
      "tensor_map({{CU_TENSOR_MAP_DATA_TYPE_{}, {{{}}}, {{{}}}, {{{}}}, {}, {}{}}}, {})",
      facts_of(map.type).tensor_map, fmt::join(map.dims, ", "), fmt::join(strides, ", "),
      fmt::join(map.box, ", "), tensor_map_mode("SWIZZLE", map.swizzle, "{}B"),
      tensor_map_mode("L2_PROMOTION", map.promote, "L2_{}B"), further,
      is_of_workspace ? fmt::format("workspace.address({})", argument.offset)
                      : fmt::format("operands.address({})", argument.index));
}

constexpr std::array kAddressModes = {"Clamp", "Border", "Wrap", "Mirror"};  // by TextureAddress

std::string channels_text(const PlannedTexture& texture) {
  const std::int64_t count = components_of(texture);
  std::array<std::int64_t, 4> bits{};
  std::fill_n(bits.begin(), count, 8 * texture.element_bytes() / count);
  const char* const kind = !is_integer(texture.type)   ? "Float"
                           : is_unsigned(texture.type) ? "Unsigned"
                                                       : "Signed";
  return fmt::format("cudaCreateChannelDesc({}, cudaChannelFormatKind{})", fmt::join(bits, ", "),
                     kind);
}

std::string texture_text(const PlannedTexture& texture, int number) {
  const TextureExtent extent = extent_of(texture);
  const TextureModes& modes = texture.modes;
  std::vector<std::string> addresses;
  for (const TextureAddress address : modes.address)
    addresses.push_back(
        fmt::format("cudaAddressMode{}", kAddressModes.at(static_cast<std::size_t>(address))));
  return fmt::format(
      "texture(operands, {}, {}, {{{}, {}, {}, {}, {}, {}, {}, {}}}, {{{{{}}}, cudaFilterMode{}, "
      "cudaReadMode{}, 0, {{}}, {}}})",
      number, texture.index, texture.dims.size(), modes.memory == TextureMemory::array,
      channels_text(texture), extent.width, extent.height, extent.depth, extent.row_bytes,
      extent.rows_per_slice, fmt::join(addresses, ", "),
      modes.filter == TextureFilter::linear ? "Linear" : "Point",
      modes.read == TextureRead::normalized ? "NormalizedFloat" : "ElementType",
      modes.coordinates == TextureCoordinates::normalized ? 1 : 0);
}

// The bytes as a little-endian number.
std::uint64_t bits_of(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof bits));
  return bits;
}

}  // namespace

std::string contents(const PlannedBuffer& buffer, std::size_t index) {
  const std::int64_t count = buffer.kind == ArgumentKind::scalar ? 1 : buffer.count;
  const std::int64_t bytes = count * static_cast<std::int64_t>(size_of(buffer.type));
  if (buffer.role == ArgumentRole::output) return fmt::format("poison({})", bytes);
  if (buffer.has_value)
    return fmt::format("bytes_of<{}>({})", facts_of(buffer.type).cpp,
                       buffer.is_real ? fmt::to_string(buffer.real) : fmt::to_string(buffer.value));
  if (buffer.fill.kind == Fill::Kind::file)
    return fmt::format("bytes_of_file({}, {}, {})", cpp_literal(buffer.fill.file.string()),
                       begin_in_file(buffer), bytes);
  return fmt::format("filled<{}>({}, {}, {}, kSeed)", facts_of(buffer.type).cpp,
                     fill_text(buffer.fill), count, index);
}

std::string parameter_text(const PlannedArgument& argument, const LaunchPlan& plan,
                           const ReproducedProblem& problem) {
  using Kind = PlannedArgument::Kind;
  if (argument.kind == Kind::workspace) return fmt::format("workspace.at({})", argument.offset);
  if (argument.kind == Kind::bytes)
    return fmt::format("number<{}>({}U)", argument.bytes.size(), bits_of(argument.bytes));
  if (argument.has_map()) return map_text(argument);
  if (argument.kind == Kind::texture)
    return texture_text(plan.textures[static_cast<std::size_t>(argument.index)], argument.index);
  const PlannedBuffer& buffer = problem.buffers[static_cast<std::size_t>(argument.index)];
  const auto size = static_cast<std::int64_t>(size_of(buffer.type));
  if (argument.kind == Kind::by_value)
    return fmt::format("operands.value<{}>({}) /* {} */", argument.size, argument.index,
                       buffer.name);
  if (buffer.kind == ArgumentKind::buffer)
    return fmt::format("operands.pointer({}) /* {} */", argument.index, buffer.name);
  const std::int64_t count = buffer.kind == ArgumentKind::array ? buffer.capacity : 1;
  return fmt::format("operands.value<{}>({}) /* {} */", count * size, argument.index, buffer.name);
}

}  // namespace tilewright::tools
