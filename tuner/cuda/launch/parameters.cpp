#include "tuner/cuda/launch/parameters.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "tuner/cuda/device/check.hpp"

namespace tilewright::cuda {
namespace {

static_assert(sizeof(CUtensorMap) == kTensorMapBytes);
static_assert(std::is_same_v<TextureHandle, cudaTextureObject_t>);

constexpr auto kBaseAlignment = static_cast<std::uintptr_t>(kTensorMapAlignment);

struct DataType {
  std::string_view name;
  CUtensorMapDataType type;
};
constexpr DataType kDataTypes[] = {
    {"FLOAT32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {"FLOAT64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
    {"INT32", CU_TENSOR_MAP_DATA_TYPE_INT32},     {"UINT32", CU_TENSOR_MAP_DATA_TYPE_UINT32},
    {"INT64", CU_TENSOR_MAP_DATA_TYPE_INT64},     {"UINT64", CU_TENSOR_MAP_DATA_TYPE_UINT64},
    {"UINT8", CU_TENSOR_MAP_DATA_TYPE_UINT8},     {"UINT16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
    {"FLOAT16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {"BFLOAT16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
};

constexpr const DataType* find_data_type(const ElementTypeFacts& facts) {
  return std::ranges::find(kDataTypes, facts.tensor_map, &DataType::name);
}
static_assert(std::ranges::all_of(kElementTypes, [](const ElementTypeFacts& facts) {
  return find_data_type(facts) != std::end(kDataTypes);
}));

CUtensorMapSwizzle swizzle(std::int64_t bytes) {
  return bytes == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
         : bytes == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                        : CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapL2promotion promotion(std::int64_t bytes) {
  return bytes == 64    ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
         : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
         : bytes == 256 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                        : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

// By the driver's function of that name. `box` is what its modes differ in.
template <class Encode, class... Box>
CUtensorMap encoded_by(const char* name, const PlannedTensorMap& map, void* base,
                       const Box&... box) {
  static const auto function = driver_function<Encode>(name);
  if (function == nullptr) throw TrialError(Outcome::unsupported, "the driver has no tensor maps");
  const std::vector<cuuint64_t> dims(map.dims.begin(), map.dims.end());
  std::vector<cuuint64_t> strides(map.strides.begin(), map.strides.end());
  for (cuuint64_t& stride : strides) stride *= size_of(map.type);
  strides.push_back(0);  // ignored, but the driver wants an array even for one dimension
  CUtensorMap encoded = {};
  const CUresult result =
      function(&encoded, find_data_type(facts_of(map.type))->type,
               static_cast<cuuint32_t>(dims.size()), base, dims.data(), strides.data(), box...,
               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle(map.swizzle), promotion(map.promote),
               map.nan_fill ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                            : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    refuse_launch(
        fmt::format("{}: the driver refuses the map (error {})", name, static_cast<int>(result)));
  return encoded;
}

// The map in the form that a kernel takes, for the tensor that begins at `base` in device memory.
CUtensorMap encode_tensor_map(const PlannedTensorMap& map, void* base) {
  if (const auto error = tensor_map_error(map)) refuse_launch("a tensor map: " + *error);
  if (reinterpret_cast<std::uintptr_t>(base) % kBaseAlignment != 0)
    refuse_launch(
        fmt::format("a tensor map begins at an address that is no multiple of {}", kBaseAlignment));
  std::vector<cuuint32_t> every(map.dims.size(), 1);
  std::copy(map.element_strides.begin(), map.element_strides.end(), every.begin() + 1);
  if (!map.is_im2col()) {
    std::vector<cuuint32_t> extents;
    for (std::size_t d = 0; d < map.box.size(); ++d)
      extents.push_back(static_cast<cuuint32_t>(map.extent(d)));
    return encoded_by<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled", map, base,
                                                         extents.data(), every.data());
  }
  const std::vector<int> lower(map.lower_corner.begin(), map.lower_corner.end());
  const std::vector<int> upper(map.upper_corner.begin(), map.upper_corner.end());
  return encoded_by<decltype(&cuTensorMapEncodeIm2col)>(
      "cuTensorMapEncodeIm2col", map, base, lower.data(), upper.data(),
      static_cast<cuuint32_t>(map.box[0]), static_cast<cuuint32_t>(map.box[1]), every.data());
}

}  // namespace

ParameterAddresses::ParameterAddresses(const PlannedLaunch& launch, const CallOperands& operands) {
  for (const PlannedArgument& planned : launch.arguments) add(planned, operands);
  addresses_.at(count_) = nullptr;  // so that the driver never reads random bytes as an address
}

void ParameterAddresses::add(const PlannedArgument& planned, const CallOperands& operands) {
  using Kind = PlannedArgument::Kind;
  if (planned.kind == Kind::trip) refuse_launch("the trip of a loop in a launch of no loop");
  if (planned.kind == Kind::bytes) return add_address(planned.bytes.data());
  if (planned.kind == Kind::texture) {
    const auto number = static_cast<std::size_t>(planned.index);
    if (number >= operands.textures.size())
      refuse_launch("a launch reads a texture that nobody has made");
    return add_address(&operands.textures[number]);
  }
  if (planned.kind == Kind::workspace) return add_pointer(operands.memory.place_of(planned));
  if (planned.kind == Kind::workspace_map) {
    std::uint8_t* const base = operands.memory.place_of(planned);
    if (base == nullptr) refuse_launch("a tensor map of a workspace that is not there");
    return add_map(planned.map, base);
  }
  const CallArgument& argument = operands.arguments[static_cast<std::size_t>(planned.index)];
  if (planned.kind == Kind::tensor_map) return add_map(planned.map, argument.memory);
  if (planned.kind == Kind::argument && argument.memory != nullptr)
    return add_pointer(argument.memory);
  add_values(argument.values, planned.size);
}

void ParameterAddresses::add_pointer(void* pointer) {
  pointers_.at(count_) = pointer;
  add_address(&pointers_.at(count_));
}

void ParameterAddresses::add_map(const PlannedTensorMap& map, void* base) {
  const CUtensorMap encoded = encode_tensor_map(map, base);
  add_address(maps_.emplace_back(std::make_unique<CUtensorMap>(encoded)).get());
}

// The driver reads the whole parameter. `values` may be only its first part.
void ParameterAddresses::add_values(std::span<const std::byte> values, std::int64_t size) {
  const auto needed = static_cast<std::size_t>(size);
  if (values.size() >= needed) return add_address(values.data());
  auto& padded = padded_.emplace_back(std::make_unique<std::byte[]>(needed));
  std::memcpy(padded.get(), values.data(), values.size());
  add_address(padded.get());
}

}  // namespace tilewright::cuda
