#include "tuner/cuda/launch/textures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/cuda/device/check.hpp"

namespace tilewright::cuda {
namespace {

constexpr const char* kMaking = "making a texture";

// In the order of TextureAddress.
constexpr std::array kAddressModes = {cudaAddressModeClamp, cudaAddressModeBorder,
                                      cudaAddressModeWrap, cudaAddressModeMirror};

CudaArray make_array(const PlannedTexture& texture) {
  const cudaChannelFormatDesc channels = texture_channels(texture);
  const TextureExtent whole = extent_of(texture);
  cudaExtent extent = {};  // 0 for a dimension that the array does not have
  extent.width = static_cast<std::size_t>(whole.width);
  if (texture.dims.size() > 1) extent.height = static_cast<std::size_t>(whole.height);
  if (texture.dims.size() > 2) extent.depth = static_cast<std::size_t>(whole.depth);
  cudaArray_t array = nullptr;
  check_trial(cudaMalloc3DArray(&array, &channels, extent, cudaArrayDefault),
              "making the array of a texture");
  return CudaArray(array);
}

// Throws TrialError unless the address is one that a texture can begin at.
void check_alignment(const void* memory) {
  int device = 0;
  int alignment = 1;
  check_trial(cudaGetDevice(&device), kMaking);
  check_trial(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device), kMaking);
  if (reinterpret_cast<std::uintptr_t>(memory) % static_cast<std::uintptr_t>(alignment) != 0)
    refuse_launch(
        fmt::format("a texture of linear memory must begin at a multiple of {} bytes; {} is not",
                    alignment, memory));
}

cudaResourceDesc resource_of(const PlannedTexture& texture, cudaArray_t array, void* memory) {
  cudaResourceDesc resource = {};
  if (array != nullptr) {
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
  }
  check_alignment(memory);
  const TextureExtent extent = extent_of(texture);
  if (texture.dims.size() == 1) {
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = texture_channels(texture);
    resource.res.linear.sizeInBytes = static_cast<std::size_t>(extent.row_bytes);
    return resource;
  }
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = texture_channels(texture);
  resource.res.pitch2D.width = static_cast<std::size_t>(extent.width);
  resource.res.pitch2D.height = static_cast<std::size_t>(extent.height);
  resource.res.pitch2D.pitchInBytes = static_cast<std::size_t>(extent.row_bytes);
  return resource;
}

bool is_array(const PlannedTexture& texture) {
  return texture.modes.memory == TextureMemory::array;
}

}  // namespace

cudaChannelFormatDesc texture_channels(const PlannedTexture& texture) {
  const auto count = components_of(texture);
  const auto bits = static_cast<int>(8 * texture.element_bytes() / count);
  const auto of = [&](std::int64_t component) { return component < count ? bits : 0; };
  const cudaChannelFormatKind kind = !is_integer(texture.type)   ? cudaChannelFormatKindFloat
                                     : is_unsigned(texture.type) ? cudaChannelFormatKindUnsigned
                                                                 : cudaChannelFormatKindSigned;
  return cudaCreateChannelDesc(of(0), of(1), of(2), of(3), kind);
}

cudaTextureDesc texture_description(const TextureModes& modes) {
  cudaTextureDesc description = {};
  for (std::size_t i = 0; i < modes.address.size(); ++i)
    description.addressMode[i] = kAddressModes.at(static_cast<std::size_t>(modes.address.at(i)));
  description.filterMode =
      modes.filter == TextureFilter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode =
      modes.read == TextureRead::normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.normalizedCoords = modes.coordinates == TextureCoordinates::normalized ? 1 : 0;
  return description;
}

Texture::Texture(const PlannedTexture& planned, void* memory) {
  if (const auto error = texture_error(planned)) refuse_launch("a texture: " + *error);
  if (is_array(planned)) array_ = make_array(planned);
  const cudaResourceDesc resource = resource_of(planned, array_.get(), memory);
  const cudaTextureDesc description = texture_description(planned.modes);
  cudaTextureObject_t object = 0;
  check_trial(cudaCreateTextureObject(&object, &resource, &description, nullptr), kMaking);
  object_ = TextureObject(object);
}

void Texture::fill(const PlannedTexture& planned, const void* from, cudaStream_t stream) const {
  if (array_.get() == nullptr) return;
  const TextureExtent extent = extent_of(planned);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr.ptr = const_cast<void*>(from);
  copy.srcPtr.pitch = static_cast<std::size_t>(extent.row_bytes);
  copy.srcPtr.xsize = static_cast<std::size_t>(extent.width);
  copy.srcPtr.ysize = static_cast<std::size_t>(extent.rows_per_slice);
  copy.dstArray = array_.get();
  copy.extent.width = static_cast<std::size_t>(extent.width);
  copy.extent.height = static_cast<std::size_t>(extent.height);
  copy.extent.depth = static_cast<std::size_t>(extent.depth);
  copy.kind = cudaMemcpyDeviceToDevice;
  check_trial(cudaMemcpy3DAsync(&copy, stream), "filling the array of a texture");
}

Textures::Textures(std::vector<PlannedTexture> plan) : plan_(std::move(plan)) {
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (is_array(plan_[i])) texture(i, nullptr);
}

bool Textures::has_arrays() const {
  return std::ranges::any_of(plan_, is_array);
}

const Texture& Textures::texture(std::size_t number, void* memory) {
  const std::pair key(number, is_array(plan_[number]) ? nullptr : memory);
  return known_.try_emplace(key, plan_[number], memory).first->second;
}

std::vector<TextureHandle> Textures::find(std::span<const CallArgument> arguments) {
  std::vector<TextureHandle> handles;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < plan_.size(); ++i)
    handles.push_back(
        texture(i, arguments[static_cast<std::size_t>(plan_[i].index)].memory).handle());
  return handles;
}

void Textures::fill(std::span<const CallArgument> arguments, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (is_array(plan_[i]))
      texture(i, nullptr)
          .fill(plan_[i], arguments[static_cast<std::size_t>(plan_[i].index)].memory, stream);
}

}  // namespace tilewright::cuda
