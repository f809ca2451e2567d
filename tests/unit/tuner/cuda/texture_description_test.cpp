#include <gtest/gtest.h>

#include "tuner/cuda/launch/textures.hpp"

namespace tilewright::cuda {
namespace {

void expect_channels(ElementType type, std::int64_t lanes, std::array<int, 4> bits,
                     cudaChannelFormatKind kind) {
  const cudaChannelFormatDesc channels = texture_channels({0, type, lanes, {8}, {}, {}});
  EXPECT_EQ((std::array{channels.x, channels.y, channels.z, channels.w}), bits) << to_text(type);
  EXPECT_EQ(channels.f, kind) << to_text(type);
}

TEST(TextureDescription, HasTheBitsOfEachNumberOfAnElement) {
  expect_channels(ElementType::float32, 1, {32, 0, 0, 0}, cudaChannelFormatKindFloat);
  expect_channels(ElementType::float16, 2, {16, 16, 0, 0}, cudaChannelFormatKindFloat);
  expect_channels(ElementType::complex64, 1, {32, 32, 0, 0}, cudaChannelFormatKindFloat);
  expect_channels(ElementType::uint8, 4, {8, 8, 8, 8}, cudaChannelFormatKindUnsigned);
  expect_channels(ElementType::int16, 1, {16, 0, 0, 0}, cudaChannelFormatKindSigned);
  expect_channels(ElementType::int32, 2, {32, 32, 0, 0}, cudaChannelFormatKindSigned);
}

TEST(TextureDescription, HasTheModes) {
  const cudaTextureDesc plain = texture_description({});
  for (const cudaTextureAddressMode mode : plain.addressMode) EXPECT_EQ(mode, cudaAddressModeClamp);
  EXPECT_EQ(plain.filterMode, cudaFilterModePoint);
  EXPECT_EQ(plain.readMode, cudaReadModeElementType);
  EXPECT_EQ(plain.normalizedCoords, 0);
  for (const float color : plain.borderColor) EXPECT_EQ(color, 0);
  const cudaTextureDesc other =
      texture_description({TextureMemory::array,
                           {TextureAddress::border, TextureAddress::wrap, TextureAddress::mirror},
                           TextureFilter::linear,
                           TextureRead::normalized,
                           TextureCoordinates::normalized});
  EXPECT_EQ(other.addressMode[0], cudaAddressModeBorder);
  EXPECT_EQ(other.addressMode[1], cudaAddressModeWrap);
  EXPECT_EQ(other.addressMode[2], cudaAddressModeMirror);
  EXPECT_EQ(other.filterMode, cudaFilterModeLinear);
  EXPECT_EQ(other.readMode, cudaReadModeNormalizedFloat);
  EXPECT_EQ(other.normalizedCoords, 1);
}

}  // namespace
}  // namespace tilewright::cuda
