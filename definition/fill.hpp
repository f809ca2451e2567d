#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "definition/field_list.hpp"
#include "tilewright/element_type.hpp"

namespace tilewright {

// The most elements of a buffer. The bytes of many such buffers stay far below 2⁶³.
inline constexpr std::int64_t kMostBufferElements = std::int64_t{1} << 40;

// How an argument is filled before a launch. `uniform`: reals in [low, high). `integers`: integers
// in [low, high]. `sorted`: uniform, ascending. `constant`: low. `file`: raw little-endian elements
// of the argument's type, or a .npy file. `normal`: normal with `mean` and `deviation`. `offsets`:
// ascending integers from low to high, both included. `permutation`: each number from low on once.
struct Fill {
  enum class Kind {
    uniform,
    integers,
    sorted,
    constant,
    file,
    normal,
    offsets,
    permutation,
  } kind = Kind::uniform;
  // Their names in manifests, in the enumerators' order.
  static constexpr std::array kKinds = {"uniform", "integers", "sorted",  "constant",
                                        "file",    "normal",   "offsets", "permutation"};
  double low = -1;
  double high = 1;
  std::filesystem::path file = {};
  double mean = 0;
  double deviation = 1;
  double divisor = 1;      // of all numbers that are drawn; plan_buffers() divides the others by it
  double correlation = 1;  // a number is drawn for every so many elements, others lie between them
  double border = 0;       // so many elements at the edges of each image are 0
  double rows = 0;         // of an image, if there is a border
  double columns = 0;      // of an image, if there is a border; 0: correlation is along a line
};

template <>
inline constexpr auto kFields<Fill> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, Fill, kind, low, high, file, mean, deviation),
                   TILEWRIGHT_FIELDS(never, Fill, divisor),
                   TILEWRIGHT_FIELDS(always, Fill, correlation, border, rows, columns));

// Expressions that replace numbers of a Fill.
struct ComputedFill {
  std::optional<Expression> low, high, mean, deviation, divisor, correlation, border, rows, columns;
};

TILEWRIGHT_LIST_FIELDS(unless_default, ComputedFill, low, high, mean, deviation, divisor,
                       correlation, border, rows, columns);

// The numbers of both, by their keys in manifests.
struct FillNumber {
  const char* key;
  double Fill::*number;
  std::optional<Expression> ComputedFill::*computed;
};
inline constexpr std::array<FillNumber, 9> kFillNumbers = {{
    {"low", &Fill::low, &ComputedFill::low},
    {"high", &Fill::high, &ComputedFill::high},
    {"mean", &Fill::mean, &ComputedFill::mean},
    {"deviation", &Fill::deviation, &ComputedFill::deviation},
    {"divisor", &Fill::divisor, &ComputedFill::divisor},
    {"correlation", &Fill::correlation, &ComputedFill::correlation},
    {"border", &Fill::border, &ComputedFill::border},
    {"rows", &Fill::rows, &ComputedFill::rows},
    {"columns", &Fill::columns, &ComputedFill::columns},
}};

// How an argument of this type is filled if its manifest does not say it.
Fill default_fill(ElementType type);

// Why elements of the type cannot be filled so, in one sentence.
std::optional<std::string> fill_error(const Fill& fill, ElementType type);

}  // namespace tilewright
