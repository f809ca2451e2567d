#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/executable.hpp"

namespace tilewright::host {

// A texture over a buffer, of which a kernel gets the address as its handle. It reads the buffer
// itself, also where a GPU has a copy in an array, because no launch changes an input. The rules
// are those of CUDA's programming guide, "Texture Fetching".
class MappedTexture {
 public:
  // Throws TrialError for a texture that a GPU would refuse.
  MappedTexture(const PlannedTexture& planned, const void* memory);

  // Null if the handle is the address of no texture.
  static const MappedTexture* of(TextureHandle handle);
  TextureHandle handle() const { return reinterpret_cast<TextureHandle>(this); }

  // What a read gives: the kind of its numbers (0 float, 1 signed, 2 unsigned) << 8, their bytes
  // << 4, and how many there are.
  unsigned format() const;

  // Why a kernel cannot read it so, in one sentence: by another function (0 dimensions:
  // tex1Dfetch), or as another type.
  std::optional<std::string> error(int dimensions, unsigned format) const;

  // Of a reading without error(). Write an element to `element`.
  void read(const float* at, void* element) const;
  void fetch(int x, void* element) const;

 private:
  using Element = std::array<double, 4>;
  using Place = std::array<std::int64_t, kMostTextureDimensions>;

  bool is_for_fetching() const {
    return plan_.modes.memory == TextureMemory::linear && plan_.dims.size() == 1;
  }
  bool gives_floats() const {
    return !is_integer(plan_.type) || plan_.modes.read == TextureRead::normalized;
  }
  Element element_at(const Place& place) const;  // negative: beyond a border, which is 0
  void write(const Element& value, void* element) const;

  std::uint64_t mark_;
  PlannedTexture plan_;
  const std::uint8_t* memory_;
};

// Those of a call, and the handles that its kernels get.
class CallTextures {
 public:
  CallTextures(const LaunchPlan& plan, const CallOperands& operands);

  const std::vector<TextureHandle>& handles() const { return handles_; }

 private:
  std::vector<MappedTexture> textures_;
  std::vector<TextureHandle> handles_;
};

}  // namespace tilewright::host
