#include "tuner/host/threads/texture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::host {
namespace {

constexpr std::uint64_t kMark = 0x7465'7874'7572'6573;
constexpr double kWeightSteps = 256;  // weights have 8 bits of fraction

// A coordinate in elements, brought into the texture where the mode does that before elements are
// chosen: wrap repeats the texture, mirror every second time in reverse.
double in_elements(float coordinate, std::int64_t length, const TextureModes& modes,
                   TextureAddress address) {
  double at = coordinate;
  if (modes.coordinates == TextureCoordinates::element) return at;
  const double whole = std::floor(at);
  if (address == TextureAddress::wrap) at -= whole;
  if (address == TextureAddress::mirror)
    at = std::fmod(whole, 2) == 0 ? at - whole : 1 - (at - whole);
  return at * static_cast<double>(length);
}

// The element that stands for one at `at`, which may be beyond the edges; negative: the border.
std::int64_t addressed(double at, std::int64_t length, TextureAddress address) {
  const bool is_inside = at >= 0 && at < static_cast<double>(length);
  if (is_inside) return static_cast<std::int64_t>(at);
  if (address == TextureAddress::border) return -1;
  const bool is_before = !(at >= 0);  // also if it is not a number
  if (address == TextureAddress::wrap) return is_before ? length - 1 : 0;
  return is_before ? 0 : length - 1;
}

// One of the elements along a dimension that make a value, and its share.
struct Tap {
  std::int64_t place = 0;
  double weight = 0;
};

std::array<Tap, 2> taps_of(double at, std::int64_t length, TextureFilter filter,
                           TextureAddress address) {
  if (filter == TextureFilter::point)
    return {{{addressed(std::floor(at), length, address), 1}, {}}};
  const double before = std::floor(at - 0.5);
  const double exact = std::isfinite(at) ? at - 0.5 - before : 0;
  const double share = std::floor(exact * kWeightSteps + 0.5) / kWeightSteps;
  return {{{addressed(before, length, address), 1 - share},
           {addressed(before + 1, length, address), share}}};
}

// A number of a buffer as a texture gives it.
template <class T>
double number_of(const std::uint8_t* memory, TextureRead read) {
  T number;
  std::memcpy(&number, memory, sizeof number);
  if constexpr (std::is_integral_v<T>) {
    if (read == TextureRead::normalized)
      return std::max(
          -1.0, static_cast<double>(number) / static_cast<double>(std::numeric_limits<T>::max()));
  }
  return static_cast<double>(number);
}

// complex64 is two numbers of float32.
double number_at(const std::uint8_t* memory, ElementType type, TextureRead read) {
  return visit_type(type == ElementType::complex64 ? ElementType::float32 : type,
                    [&]<class T>(std::type_identity<T>) -> double {
                      if constexpr (std::is_same_v<T, Float16> || std::is_arithmetic_v<T>)
                        return number_of<T>(memory, read);
                      else
                        return number_of<float>(memory, read);
                    });
}

std::string format_text(unsigned format) {
  constexpr std::array kKinds = {"float", "signed integer", "unsigned integer"};
  const unsigned count = format & 15U;
  return fmt::format("{} {} of {} bits", count, kKinds.at(format >> 8U & 3U),
                     8 * (format >> 4U & 15U));
}

// The function that reads so many dimensions.
const char* function_of(int dimensions) {
  constexpr std::array kFunctions = {"tex1Dfetch", "tex1D", "tex2D", "tex3D"};
  return kFunctions.at(static_cast<std::size_t>(dimensions));
}

}  // namespace

MappedTexture::MappedTexture(const PlannedTexture& planned, const void* memory)
    : mark_(kMark), plan_(planned), memory_(static_cast<const std::uint8_t*>(memory)) {
  if (const auto error = texture_error(planned)) refuse_launch("a texture: " + *error);
}

const MappedTexture* MappedTexture::of(TextureHandle handle) {
  const auto* const texture = reinterpret_cast<const MappedTexture*>(handle);
  return texture != nullptr && texture->mark_ == kMark ? texture : nullptr;
}

unsigned MappedTexture::format() const {
  const auto count = static_cast<unsigned>(components_of(plan_));
  const auto bytes = static_cast<unsigned>(gives_floats() ? sizeof(float) : size_of(plan_.type));
  const unsigned kind = gives_floats() ? 0 : is_unsigned(plan_.type) ? 2 : 1;
  return kind << 8U | bytes << 4U | count;
}

std::optional<std::string> MappedTexture::error(int dimensions, unsigned format) const {
  const int own = is_for_fetching() ? 0 : static_cast<int>(plan_.dims.size());
  if (dimensions != own)
    return fmt::format("a texture that {} reads is read by {}", function_of(own),
                       function_of(dimensions));
  if (format != this->format())
    return fmt::format("{} reads {} from a texture that gives {}", function_of(dimensions),
                       format_text(format), format_text(this->format()));
  return std::nullopt;
}

MappedTexture::Element MappedTexture::element_at(const Place& place) const {
  Element element{};
  std::int64_t index = 0;
  for (std::size_t i = 0; i < plan_.dims.size(); ++i) {
    if (place.at(i) < 0) return element;
    index += place.at(i) * (i == 0 ? 1 : plan_.strides[i - 1]);
  }
  const auto count = static_cast<std::size_t>(components_of(plan_));
  const std::int64_t bytes = plan_.element_bytes();
  const std::uint8_t* const first = memory_ + index * bytes;
  for (std::size_t i = 0; i < count; ++i)
    element.at(i) = number_at(first + i * static_cast<std::size_t>(bytes) / count, plan_.type,
                              plan_.modes.read);
  return element;
}

void MappedTexture::write(const Element& value, void* element) const {
  const auto write_as = [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(components_of(plan_)); ++i) {
      const T number = static_cast<T>(value.at(i));
      std::memcpy(static_cast<std::uint8_t*>(element) + i * sizeof(T), &number, sizeof(T));
    }
  };
  if (gives_floats()) return write_as(std::type_identity<float>{});
  visit_type(plan_.type, [&]<class T>(std::type_identity<T> type) {
    if constexpr (std::is_integral_v<T>) write_as(type);
  });
}

void MappedTexture::read(const float* at, void* element) const {
  std::array<std::array<Tap, 2>, kMostTextureDimensions> taps{};
  const std::size_t dimensions = plan_.dims.size();
  for (std::size_t i = 0; i < dimensions; ++i) {
    const TextureAddress address = plan_.modes.address.at(i);
    taps.at(i) = taps_of(in_elements(at[i], plan_.dims[i], plan_.modes, address), plan_.dims[i],
                         plan_.modes.filter, address);
  }
  Element sum{};
  for (unsigned corner = 0; corner < 1U << dimensions; ++corner) {
    Place place{};
    double weight = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const Tap& tap = taps.at(i).at(corner >> i & 1U);
      place.at(i) = tap.place;
      weight *= tap.weight;
    }
    if (weight == 0) continue;
    const Element one = element_at(place);
    for (std::size_t i = 0; i < sum.size(); ++i) sum.at(i) += weight * one.at(i);
  }
  write(sum, element);
}

void MappedTexture::fetch(int x, void* element) const {
  const bool is_inside = x >= 0 && x < plan_.dims.front();
  write(element_at({is_inside ? x : -1}), element);
}

CallTextures::CallTextures(const LaunchPlan& plan, const CallOperands& operands) {
  textures_.reserve(plan.textures.size());  // handles are addresses
  for (const PlannedTexture& planned : plan.textures) {
    textures_.emplace_back(planned,
                           operands.arguments[static_cast<std::size_t>(planned.index)].memory);
    handles_.push_back(textures_.back().handle());
  }
}

}  // namespace tilewright::host
