#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "runtime/operations/typed_call.hpp"
#include "tilewright/error.hpp"
#include "tilewright/gemm.hpp"

namespace tilewright {

// What calls have in common whose third argument is alpha times a product, and beta times what it
// was.
struct AnyProduct : AnyCall {
  static constexpr std::size_t kAlpha = 3, kBeta = 4;  // their indices among the arguments

  // 0 for none.
  static std::int64_t number_of(std::optional<Precision> precision) {
    return precision ? 1 + static_cast<std::int64_t>(*precision) : 0;
  }
  // The label of such a number above 0.
  static const char* precision_name(std::size_t number) {
    constexpr std::array kNames = {"float32", "float64", "tf32", "float16", "int32"};
    return kNames.at(number - 1);
  }

  // Rounded to the type of the kernel's argument. Throws InputError if that is an integer type and
  // does not hold the value, and if the definitions, which may be a bundle's, lack the argument.
  static Operand scalar_of(const Kernel& kernel, const char* operation, std::size_t index,
                           double value) {
    if (index >= kernel.arguments().size())
      throw InputError(fmt::format(
          "{} has {} arguments; its definitions are not those of the built-in operation",
          kernel.answer().implementation, kernel.arguments().size()));
    const KernelArgument& argument = kernel.arguments()[index];
    if (argument.type == ElementType::float64) return value;
    if (argument.type == ElementType::int32) {
      const bool fits = value >= -0x1p31 && value < 0x1p31 && value == std::floor(value);
      if (!fits)
        throw InputError(
            fmt::format("{}: {} is {}; where the output is int32, it is a whole number of int32",
                        operation, argument.name, value));
      return static_cast<std::int32_t>(value);
    }
    return static_cast<float>(value);
  }
};

}  // namespace tilewright
