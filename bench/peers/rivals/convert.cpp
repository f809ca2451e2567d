#include "bench/peers/rivals/convert.hpp"

#include <cstring>
#include <stdexcept>

namespace tilewright::bench {
namespace {

constexpr const char* kNoComplex = "complex numbers are not converted";

std::vector<double> read(std::span<const std::uint8_t> elements, ElementType type) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<double> numbers(elements.size() / sizeof(T));
    if constexpr (std::is_constructible_v<double, T>) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        T element;
        std::memcpy(&element, elements.data() + i * sizeof element, sizeof element);
        numbers[i] = static_cast<double>(element);
      }
    } else {
      throw std::invalid_argument(kNoComplex);
    }
    return numbers;
  });
}

std::vector<std::uint8_t> written(const std::vector<double>& numbers, ElementType type) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<std::uint8_t> elements(numbers.size() * sizeof(T));
    if constexpr (std::is_constructible_v<double, T>) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const T element = static_cast<T>(numbers[i]);
        std::memcpy(elements.data() + i * sizeof element, &element, sizeof element);
      }
    } else {
      throw std::invalid_argument(kNoComplex);
    }
    return elements;
  });
}

}  // namespace

std::vector<std::uint8_t> converted(std::span<const std::uint8_t> elements, ElementType from,
                                    ElementType to) {
  return written(read(elements, from), to);
}

}  // namespace tilewright::bench
