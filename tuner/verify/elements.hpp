#pragma once

#include <cstdint>
#include <type_traits>

#include "definition/definition.hpp"
#include "tuner/verify/fill_elements.h"

namespace tilewright {

// Calls `work` with std::type_identity of the C++ type that holds elements of `type`.
template <class Work>
auto visit_type(ElementType type, Work&& work) {
  switch (type) {
    case ElementType::float32:
      return work(std::type_identity<float>{});
    case ElementType::float64:
      return work(std::type_identity<double>{});
    case ElementType::int32:
      return work(std::type_identity<std::int32_t>{});
    case ElementType::uint32:
      return work(std::type_identity<std::uint32_t>{});
    case ElementType::int64:
      return work(std::type_identity<std::int64_t>{});
    case ElementType::uint64:
      return work(std::type_identity<std::uint64_t>{});
    case ElementType::uint8:
      break;
  }
  return work(std::type_identity<std::uint8_t>{});
}

using elements::load_element;
using elements::store_element;

}  // namespace tilewright
