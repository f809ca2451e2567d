#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/field_list.hpp"
#include "definition/texture.hpp"
#include "tilewright/argument.hpp"

namespace tilewright {

// Launches as manifests describe them (definition.hpp).

// What makes a scalar's value a real number. A number or an expression for real_value() replaces
// the value; a divisor divides it.
struct RealValue {
  std::optional<double> number = {};
  std::optional<Expression> divisor = {};
  std::optional<Expression> computed = {};

  bool is_used() const { return number || divisor || computed; }
};

TILEWRIGHT_LIST_FIELDS(by_hand, RealValue, number, divisor, computed);

inline constexpr std::size_t kMostTensorDimensions = 5;
inline constexpr std::size_t kLeastIm2colDimensions = 3;

// How the bulk tensor copy sees a buffer or a part of the workspace: 1 to 5 dimensions, the
// contiguous one first. With corners in im2col mode: the first dimension is channels, the last one
// images, and those between are an image's. Corners and element strides are of those between.
struct TensorMap {
  std::vector<Expression> dims;  // elements
  std::vector<Expression>
      strides;                  // elements between neighbours along each dimension but the first
  std::vector<Expression> box;  // elements that one copy takes; im2col mode: channels, pixels
  Expression swizzle;           // 0, 32, 64 or 128: bytes within which 16-byte units change places
  Expression promote;           // 0, 64, 128 or 256: bytes that a miss fetches into the L2
  Expression type = Expression::parse("'float32'");  // of a workspace's elements; a type's name
  std::vector<Expression> lower_corner = {};         // of the box of pixels, from the image's first
  std::vector<Expression> upper_corner = {};         // from its last
  std::vector<Expression> element_strides = {};      // from one taken to the next; empty: 1
  Expression nan_fill = {};                          // true: NaN, not 0, is read beyond the tensor
};

template <>
inline constexpr auto kFields<TensorMap> = std::tuple_cat(
    TILEWRIGHT_FIELDS(by_hand, TensorMap, dims, strides, box, swizzle, promote, type),
    TILEWRIGHT_FIELDS(unless_default, TensorMap, lower_corner, upper_corner, element_strides,
                      nan_fill));

// An argument of one launch, in the kernel's order.
struct LaunchArgument {
  enum class Kind {
    argument,
    value,
    workspace,
    by_value,
    tensor_map,
    workspace_map,  // a tensor map of the workspace
    trip,           // the number of the loop's trip, from 0
    texture,
  } kind = Kind::argument;
  std::string name;  // argument, by_value, tensor_map, texture: its name
  Expression value;  // a number; of the workspace: byte offset; by_value: capacity
  ElementType type = ElementType::int32;  // value: the type of the kernel's parameter
  RealValue real = {};                    // value: of a floating-point type
  Expression when{1};                     // false: the kernel has no such argument
  TensorMap map = {};                     // tensor_map, workspace_map
  Texture texture = {};                   // texture
  bool prepared = false;                  // workspace, workspace_map: of the prepared input instead
};

template <>
inline constexpr auto kFields<LaunchArgument> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, LaunchArgument, kind, name, value, type, real),
                   TILEWRIGHT_FIELDS(by_hand, LaunchArgument, when, map, texture),
                   TILEWRIGHT_FIELDS(unless_default, LaunchArgument, prepared));

bool uses_workspace(const LaunchArgument& argument);

struct Launch {
  std::string entry;  // kernel name, or a C++ name expression; entry_of() replaces {type_a}
  Expression when{1};
  // May use `resident`, the blocks of this launch that the device holds at once.
  std::array<Expression, 3> grid = {Expression{1}, Expression{1}, Expression{1}};
  std::array<Expression, 3> block = {Expression{1}, Expression{1}, Expression{1}};
  std::array<Expression, 3> cluster = {Expression{1}, Expression{1}, Expression{1}};
  Expression shared_bytes;  // dynamic
  std::vector<LaunchArgument> arguments;
  Expression dependent_launch;  // true: may begin before the launch ahead of it has ended
  Expression cooperative = {};  // true: its blocks run at the same time and may wait for each other
  std::string loop = {};        // name of the Loop that it is in
  std::string unit = {};  // name of the SourceUnit that has it; empty: the implementation's own
  std::map<std::string, Expression> macros = {};  // reading makes a unit of them
  std::string prepares = {};                      // name of the input that it prepares; empty: none
};

template <>
inline constexpr auto kFields<Launch> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, Launch, entry, when, grid, block, cluster, shared_bytes, arguments),
    TILEWRIGHT_FIELDS(by_hand, Launch, dependent_launch),
    TILEWRIGHT_FIELDS(unless_default, Launch, cooperative, loop, unit),
    TILEWRIGHT_FIELDS(never, Launch, macros), TILEWRIGHT_FIELDS(unless_default, Launch, prepares));

// Launches that are repeated in order.
struct Loop {
  std::string name;
  Expression trips;
  // None or two of them, an argument or a place in the workspace: in every second trip, launches
  // get one for the other.
  std::vector<LaunchArgument> swap = {};
};

TILEWRIGHT_LIST_FIELDS(by_hand, Loop, name, trips, swap);

}  // namespace tilewright
