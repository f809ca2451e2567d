// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "tilewright/argument.hpp"

namespace tilewright {

struct PreparedState;

namespace detail {

// The first type of the list from kPlace on that T may stand for: itself, or an integer of the same
// size and sign, such as long for std::int64_t. Beyond the list: none.
template <class T, std::size_t kPlace = 0>
constexpr std::size_t place_among_elements() {
  if constexpr (kPlace < kElementTypes.size()) {
    using Known = std::tuple_element_t<kPlace, ElementTypes>;
    constexpr bool kIsNumber = std::is_integral_v<T> && std::is_integral_v<Known> &&
                               !std::is_same_v<T, bool> && !std::is_same_v<T, char>;
    if constexpr (std::is_same_v<T, Known> || (kIsNumber && sizeof(T) == sizeof(Known) &&
                                               std::is_signed_v<T> == std::is_signed_v<Known>))
      return kPlace;
    else
      return place_among_elements<T, kPlace + 1>();
  } else {
    return kPlace;
  }
}

template <class T>
inline constexpr bool kIsElement = place_among_elements<T>() < kElementTypes.size();

template <class T>
constexpr ElementType element_type() {
  return static_cast<ElementType>(place_among_elements<T>());
}

}  // namespace detail

// A C++ type that the elements of arguments may have.
template <class T>
concept Element = std::is_object_v<T> && detail::kIsElement<std::remove_cv_t<T>>;

// Memory of the device and the type of its elements. A `T*` converts to it, also a null one. Where
// the type is known only at run time, or is one of CUDA's: {ElementType::float16, memory}.
template <class Void>
class BasicElementPointer {
 public:
  BasicElementPointer(std::nullptr_t = nullptr) {}  // NOLINT: implicit on purpose, as the next ones
  template <Element T>
  requires std::is_convertible_v<T*, Void*> BasicElementPointer(T* memory)  // NOLINT
      : BasicElementPointer(detail::element_type<std::remove_cv_t<T>>(), memory) {}
  template <class Other>
  requires(!std::is_same_v<Other, Void> && std::is_convertible_v<Other*, Void*>)
      BasicElementPointer(BasicElementPointer<Other> other)  // NOLINT
      : BasicElementPointer(other.type(), other.memory()) {}
  BasicElementPointer(ElementType type, Void* memory) : type_(type), memory_(memory) {}

  ElementType type() const { return type_; }
  Void* memory() const { return memory_; }

 private:
  ElementType type_ = ElementType::float32;
  Void* memory_ = nullptr;
};
using ElementPointer = BasicElementPointer<void>;
using ConstElementPointer = BasicElementPointer<const void>;

// A buffer that the kernel may only read (`read`) or may also write (`write`), or an array or a
// scalar that is passed by value.
enum class OperandForm { read, write, array, scalar };

// One argument of a launch. It refers to the caller's memory without owning it, but copies scalars.
// `const T*` and `std::span<const T>` serve inputs only; `T*` and `std::span<T>` serve all buffers.
// Buffers must be aligned to 16 bytes. A buffer that is written must not overlap another one.
class Operand {
 public:
  // Memory of the device, with as many elements as the kernel's argument has.
  template <Element T>
  Operand(T* memory)  // NOLINT: implicit on purpose
      : Operand(form_of<T>(), type_of<T>(), memory, kUnknown) {}

  // The same for a type that is known only at run time.
  template <class Void>
  Operand(BasicElementPointer<Void> memory)  // NOLINT: implicit on purpose
      : Operand(form_of<Void>(), memory.type(), memory.memory(), kUnknown) {}

  // The same. A launch checks that there are at least as many elements as the argument has.
  template <Element T, std::size_t Extent>
  Operand(std::span<T, Extent> memory)  // NOLINT: implicit on purpose
      : Operand(form_of<T>(), type_of<T>(), memory.data(), count_of(memory)) {}

  // A scalar of exactly the argument's type: 1.0F for a float32.
  template <Element T>
  Operand(T value)  // NOLINT: implicit on purpose
      : Operand(scalar(type_of<T>(), &value)) {}

  // An array that is passed by value, in host memory. It is read before the launch returns.
  template <Element T>
  static Operand array(std::span<const T> values) {
    return array(type_of<T>(), values.data(), count_of(values));
  }

  // For bindings, which know types only at run time. A count of kUnknown is not checked. `value`
  // points to one element, which is copied.
  static Operand buffer(OperandForm form, ElementType type, void* memory, std::int64_t count) {
    return {form, type, memory, count};
  }
  static Operand array(ElementType type, const void* values, std::int64_t count) {
    return {OperandForm::array, type, values, count};
  }
  static Operand scalar(ElementType type, const void* value) {
    Operand operand(OperandForm::scalar, type, nullptr, 1);
    std::memcpy(operand.value_.data(), value, size_of(type));
    return operand;
  }

  // The same buffer, with a copy of all its values in host memory. The copy is read before the
  // launch returns. On a GPU some configurations need it because they pass a small input by value,
  // such as a convolution's filter (KernelArgument::by_value). The host device reads the buffer.
  Operand with_values(const void* values) const {
    Operand operand = *this;
    operand.values_ = values;
    return operand;
  }

  static constexpr std::int64_t kUnknown = -1;

  OperandForm form() const { return form_; }
  ElementType type() const { return type_; }
  std::int64_t count() const { return count_; }             // elements; kUnknown: not known
  void* memory() const { return memory_; }                  // buffers and arrays
  const void* values() const { return values_; }            // buffers: with_values; else null
  const std::byte* value() const { return value_.data(); }  // scalars
  // Of a PreparedInput (tilewright/kernel.hpp), which looks like the input otherwise; else null.
  const PreparedState* prepared() const { return prepared_; }

 private:
  friend class PreparedInput;

  Operand(OperandForm form, ElementType type, const void* memory, std::int64_t count)
      : form_(form), type_(type), count_(count), memory_(const_cast<void*>(memory)) {}

  template <class T>
  static constexpr OperandForm form_of() {
    return std::is_const_v<T> ? OperandForm::read : OperandForm::write;
  }
  template <class T>
  static constexpr ElementType type_of() {
    return detail::element_type<std::remove_cv_t<T>>();
  }
  template <class T, std::size_t Extent>
  static std::int64_t count_of(std::span<T, Extent> memory) {
    return static_cast<std::int64_t>(memory.size());
  }

  OperandForm form_;
  ElementType type_;
  std::int64_t count_;
  void* memory_;  // the kernel writes through it only where the form is `write`
  const void* values_ = nullptr;
  const PreparedState* prepared_ = nullptr;
  std::array<std::byte, 8> value_ = {};
};

}  // namespace tilewright
