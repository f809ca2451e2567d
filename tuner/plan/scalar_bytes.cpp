#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "definition/text/errors.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are passed in this machine's byte order");

template <class T>
constexpr bool kIsComplex = requires {
  typename T::value_type;
};

template <class T>
T as_element(std::int64_t value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value);
  else if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(value));
  else
    return T(static_cast<double>(value));
}

template <class T>
bool fits(std::int64_t value) {
  if constexpr (std::is_integral_v<T>) {
    return std::in_range<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    // Beyond this, the type cannot represent every whole number.
    constexpr std::int64_t exact = std::int64_t{1} << std::numeric_limits<T>::digits;
    return value >= -exact && value <= exact;
  } else if constexpr (kIsComplex<T>) {
    return fits<typename T::value_type>(value);
  } else {
    return static_cast<double>(as_element<T>(value)) == static_cast<double>(value);
  }
}

}  // namespace

std::vector<std::uint8_t> scalar_bytes(std::int64_t value, ElementType type,
                                       const std::string& what) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    if (!fits<T>(value)) throw bad_input("{} = {} does not fit {}", what, value, to_text(type));
    const T converted = as_element<T>(value);
    std::vector<std::uint8_t> bytes(sizeof(T));
    std::memcpy(bytes.data(), &converted, sizeof(T));
    return bytes;
  });
}

std::vector<std::uint8_t> real_bytes(double value, ElementType type, const std::string& what) {
  if (is_integer(type) || !(std::abs(value) <= facts_of(type).greatest))
    throw bad_input("{} = {} does not fit {}", what, value, to_text(type));
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<std::uint8_t> bytes(sizeof(T));
    if constexpr (!std::is_integral_v<T>) {
      T converted{};
      if constexpr (kIsComplex<T>)
        converted = T(static_cast<typename T::value_type>(value));
      else
        converted = static_cast<T>(value);
      std::memcpy(bytes.data(), &converted, sizeof(T));
    }
    return bytes;
  });
}

std::vector<std::uint8_t> value_bytes(const PlannedBuffer& scalar) {
  return scalar.is_real ? real_bytes(scalar.real, scalar.type, scalar.name)
                        : scalar_bytes(scalar.value, scalar.type, scalar.name);
}

}  // namespace tilewright
