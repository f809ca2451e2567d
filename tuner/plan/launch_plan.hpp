#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "definition/definition.hpp"
#include "definition/texture.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// A definition's launches with every expression worked out for one problem and configuration. They
// are plain numbers, so a worker process needs no definition.

// The size of a tensor map as a kernel's parameter.
inline constexpr std::int64_t kTensorMapBytes = 128;

// The first compute capability (10 · major + minor) with bulk tensor copies.
inline constexpr int kFirstCapabilityWithTensorMaps = 90;
// The first with programmatic dependent launch.
inline constexpr int kFirstCapabilityWithDependentLaunch = 90;

// A TensorMap with every expression worked out.
struct PlannedTensorMap {
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> dims;               // elements, neighbours first
  std::vector<std::int64_t> strides;            // elements, of every dimension but the first
  std::vector<std::int64_t> box;                // elements; im2col mode: channels, pixels
  std::int64_t swizzle = 0;                     // bytes: 0, 32, 64 or 128
  std::int64_t promote = 0;                     // bytes: 0, 64, 128 or 256
  std::vector<std::int64_t> lower_corner = {};  // im2col mode, else empty
  std::vector<std::int64_t> upper_corner = {};  // as long
  // Of the dimensions between the first and the last; without im2col mode empty if all are 1.
  std::vector<std::int64_t> element_strides = {};
  bool nan_fill = false;

  bool is_im2col() const { return !lower_corner.empty(); }
  // From the first element of a box to its last one along a dimension, both counted.
  std::int64_t extent(std::size_t dimension) const {
    const bool is_strided = dimension > 0 && dimension <= element_strides.size();
    return is_strided ? (box[dimension] - 1) * element_strides[dimension - 1] + 1 : box[dimension];
  }
  bool operator==(const PlannedTensorMap&) const = default;
};

template <>
inline constexpr auto kFields<PlannedTensorMap> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, PlannedTensorMap, type, dims, strides, box, swizzle, promote),
    TILEWRIGHT_FIELDS(unless_default, PlannedTensorMap, lower_corner, upper_corner, element_strides,
                      nan_fill));

// The first rule that the map breaks, in one sentence. The rules are those of the CUDA driver's
// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col without interleaving.
std::optional<std::string> tensor_map_error(const PlannedTensorMap& map);

// Whether what is described so ends within `count` elements. True for the impossible, such as no
// elements along a dimension, which tensor_map_error() reports.
bool lies_within(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& strides,
                 std::int64_t count);

struct PlannedArgument {
  enum class Kind {
    argument,
    bytes,
    workspace,
    by_value,
    tensor_map,
    workspace_map,  // a tensor map of the workspace; bundles hold the numbers, new ones come last
    trip,           // the number of the loop's trip as an int32
    texture,        // an object that reads an argument
  } kind = Kind::bytes;
  // Position in Operation::arguments, if it is made from one; texture: in LaunchPlan::textures.
  int index = 0;
  std::vector<std::uint8_t> bytes = {};  // bytes: the value as the kernel expects it
  std::int64_t offset = 0;               // workspace, workspace_map: in bytes
  std::int64_t size = 0;                 // by_value: bytes of the struct that holds the elements
  PlannedTensorMap map = {};             // tensor_map, workspace_map
  // workspace, workspace_map: in the memory of the prepared input in place of the workspace.
  bool prepared = false;

  bool has_map() const { return kind == Kind::tensor_map || kind == Kind::workspace_map; }
  bool operator==(const PlannedArgument&) const = default;
};

template <>
inline constexpr auto kFields<PlannedArgument> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, PlannedArgument, kind, index, bytes, offset, size),
                   TILEWRIGHT_FIELDS(by_hand, PlannedArgument, map),
                   TILEWRIGHT_FIELDS(unless_default, PlannedArgument, prepared));

// Where a tensor may begin, in bytes from the start of its memory.
inline constexpr std::int64_t kTensorMapAlignment = 16;

// The first rule that the argument's map breaks, with the place where it begins.
std::optional<std::string> tensor_map_error(const PlannedArgument& argument);

// Whether the tensor of a workspace_map ends within so many bytes, from the start of its memory.
bool lies_within(const PlannedArgument& workspace_map, std::int64_t bytes);

// The most bytes that all parameters of a kernel may take.
inline constexpr std::int64_t kMostParameterBytes = 32764;

// The threads of a block, or the blocks of a grid or a cluster; 2^63 - 1 if there are more.
inline std::int64_t volume(const std::array<std::int64_t, 3>& extent) {
  std::int64_t volume = 1;
  for (const std::int64_t size : extent)
    if (__builtin_mul_overflow(volume, size, &volume))
      return std::numeric_limits<std::int64_t>::max();
  return volume;
}

struct PlannedLaunch {
  std::string entry;
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::array<std::int64_t, 3> cluster = {1, 1, 1};
  std::int64_t shared_bytes = 0;  // dynamic
  std::vector<PlannedArgument> arguments = {};
  // May begin before the launch ahead of it has ended, on devices that can do that. Its kernel
  // waits for that launch itself (kernel_templates/common/dependent_launch.cuh).
  bool dependent_launch = false;
  bool cooperative = false;
  // What `grid` will be, as an expression over `resident` (ready_plan.hpp). Empty: the number is
  // known.
  std::array<std::string, 3> grid_texts = {};
  // Prepares an input: it runs once before the calls, and is no part of them.
  bool prepares = false;

  bool has_open_grid() const { return grid_texts != std::array<std::string, 3>{}; }
  bool operator==(const PlannedLaunch&) const = default;
};

template <>
inline constexpr auto kFields<PlannedLaunch> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, PlannedLaunch, entry, grid, block, cluster, shared_bytes, arguments),
    TILEWRIGHT_FIELDS(unless_default, PlannedLaunch, dependent_launch, cooperative, grid_texts,
                      prepares));

// Calls visit(name, value) for what a launch asks for beside its shape: truths and numbers.
void for_each_attribute(const PlannedLaunch& launch, const auto& visit) {
  for_each_listed<PlannedLaunch>([&](const auto& field) {
    if constexpr (kWritten<decltype(field)> == Written::unless_default)
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(launch.*field.member)>>)
        visit(std::string_view(field.name), launch.*field.member);
  });
}

// A Texture with every expression worked out.
struct PlannedTexture {
  int index = 0;  // position in Operation::arguments
  ElementType type = ElementType::float32;
  std::int64_t lanes = 1;             // numbers of `type` in an element: 1, 2 or 4
  std::vector<std::int64_t> dims;     // elements, neighbours first
  std::vector<std::int64_t> strides;  // elements, of every dimension but the first
  TextureModes modes = {};

  std::int64_t element_bytes() const { return lanes * static_cast<std::int64_t>(size_of(type)); }
  bool operator==(const PlannedTexture&) const = default;
};

template <>
inline constexpr auto kFields<PlannedTexture> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, PlannedTexture, index, type, lanes, dims, strides),
                   TILEWRIGHT_FIELDS(by_hand, PlannedTexture, modes));

// What a kernel gets as a cudaTextureObject_t.
using TextureHandle = unsigned long long;

// The most textures of one call.
inline constexpr std::size_t kMostTextures = 64;

// The numbers of an element as the hardware has them: a complex number has two.
std::int64_t components_of(const PlannedTexture& texture);

// The first rule that the texture breaks, in one sentence. The limits are those of every device
// since compute capability 6.0 (CUDA's programming guide, technical specifications).
std::optional<std::string> texture_error(const PlannedTexture& texture);

// Whether the texture ends within `count` numbers. True for an impossible one, which
// texture_error() reports.
bool lies_within(const PlannedTexture& texture, std::int64_t count);

// How the copy to an array walks through the buffer.
struct TextureExtent {
  std::int64_t width = 1;  // elements
  std::int64_t height = 1;
  std::int64_t depth = 1;
  std::int64_t row_bytes = 0;       // from one row to the next
  std::int64_t rows_per_slice = 1;  // from one slice to the next
};
// REQUIRES no texture_error().
TextureExtent extent_of(const PlannedTexture& texture);

// Launches that are repeated in order. In every second trip, beginning with the second, the two
// arguments in `swap`, if there are any, stand for each other.
struct PlannedLoop {
  int first = 0;  // launch
  int count = 0;
  std::int64_t trips = 1;
  std::vector<PlannedArgument> swap = {};

  bool operator==(const PlannedLoop&) const = default;
};

TILEWRIGHT_LIST_FIELDS(always, PlannedLoop, first, count, trips, swap);

// The most launches of a call with every trip counted.
inline constexpr std::int64_t kMostLaunches = 100'000;
// The most of a loop of which an expression uses `trip`, because planning writes them out.
inline constexpr std::int64_t kMostWrittenOut = 1000;

// A variable of the code that has the elements of an argument while the launches run.
struct PlannedConstant {
  std::string key;         // constant_key() of the variable
  int index = 0;           // position in Operation::arguments
  std::int64_t bytes = 0;  // of the argument; the variable may have more

  bool operator==(const PlannedConstant&) const = default;
};

TILEWRIGHT_LIST_FIELDS(always, PlannedConstant, key, index, bytes);

// Why a variable with so many bytes cannot be filled so; nothing: the code has no such variable. A
// larger one can, because sources declare one for the largest filter.
std::optional<std::string> constant_error(const PlannedConstant& constant,
                                          std::optional<std::int64_t> variable_bytes);

// A call of a library's routine with everything that the library is told.
struct PlannedRoutine {
  std::string name = {};  // Implementation::routine; empty: none is called
  // Of the problem and the configuration. An argument of the operation has its type here, and a
  // hook the name of its snippet, if there is one.
  Settings values = {};
  std::vector<std::string> arguments = {};  // the operation's, in their order

  bool is_given() const { return !name.empty(); }
  bool operator==(const PlannedRoutine&) const = default;
};

TILEWRIGHT_LIST_FIELDS(always, PlannedRoutine, name, values, arguments);

struct LaunchPlan {
  std::vector<PlannedLaunch> launches;
  std::int64_t workspace_bytes = 0;
  Workspace::Fill workspace_zero = Workspace::Fill::never;
  std::vector<PlannedConstant> constants = {};  // filled before the launches, and not timed
  std::vector<PlannedLoop> loops = {};          // by their first launches, apart from each other
  std::vector<PlannedTexture> textures = {};    // each once; copies to arrays are not timed
  std::int64_t prepared_bytes = 0;  // of the input that is prepared before the calls; 0: none is
  PlannedRoutine routine = {};      // in place of the launches

  // Such a plan skips its problem.
  bool is_empty() const { return launches.empty() && !routine.is_given(); }

  // Where an argument of the kinds workspace and workspace_map has its place.
  std::int64_t bytes_for(const PlannedArgument& argument) const {
    return argument.prepared ? prepared_bytes : workspace_bytes;
  }
  bool operator==(const LaunchPlan&) const = default;
};

template <>
inline constexpr auto kFields<LaunchPlan> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, LaunchPlan, launches, workspace_bytes, workspace_zero),
                   TILEWRIGHT_FIELDS(unless_default, LaunchPlan, constants, loops, textures,
                                     prepared_bytes, routine));

// An argument of the operation, worked out for one problem.
struct PlannedBuffer {
  std::string name;
  ArgumentKind kind = ArgumentKind::buffer;
  ElementType type = ElementType::float32;
  ArgumentRole role = ArgumentRole::input;
  std::int64_t count = 0;
  std::int64_t capacity = 0;
  bool has_value = false;  // a computed scalar: `value` instead of `fill`
  std::int64_t value = 0;
  bool is_real = false;  // `real` instead of `value`
  double real = 0;
  Fill fill;
};

// Launches whose `when` is false are left out. A name among a launch's arguments means an argument
// of the operation, or else the value of that name in `scope` as an int32. A choice is passed as
// its label's index. A hook stands for the arguments of its snippet. (Reading the manifest has
// turned parameters with labels into expressions for the index.) If calls do not get an input
// prepared, the plan is one with_preparation(). Throws InputError if an expression has no result or
// a value does not fit its type.
LaunchPlan plan_launches(const Operation& operation, const std::vector<Launch>& launches,
                         const Workspace& workspace, const Scope& scope);

// All that a call of an implementation or of a reference kernel does.
LaunchPlan plan_launches(const Operation& operation, const Implementation& implementation,
                         const Scope& scope);
LaunchPlan plan_launches(const Operation& operation, const Reference& reference,
                         const Scope& scope);

// The call of an implementation that is a routine. Without a configuration in `scope`, it is what
// the library is asked about when it lists configurations.
PlannedRoutine plan_routine(const Operation& operation, const Implementation& implementation,
                            const Scope& scope);

// The plan whose calls prepare the input themselves, in memory behind the workspace.
LaunchPlan with_preparation(LaunchPlan plan);

// Why the loops are impossible; nothing if they are not.
std::optional<std::string> loops_error(const LaunchPlan& plan);

// Those of which `when` is true and that have an argument in this call.
std::vector<PlannedConstant> plan_constants(const Operation& operation,
                                            const std::vector<ConstantSymbol>& constants,
                                            const Scope& scope);

// A number as a kernel takes it. Throws InputError that names `what` if the number does not fit: a
// whole number must be exact, and a real one within the range of a floating-point type.
std::vector<std::uint8_t> scalar_bytes(std::int64_t value, ElementType type,
                                       const std::string& what);

std::vector<std::uint8_t> real_bytes(double value, ElementType type, const std::string& what);

// The bytes of a computed scalar.
std::vector<std::uint8_t> value_bytes(const PlannedBuffer& scalar);

// How outputs are compared in one problem.
struct PlannedComparison {
  bool reduced = false;
  std::int64_t reduction = 1;
  double scale = 1;
  // The machine epsilon of sums. Negative: that of the output's type, at most that of float32.
  double sums = -1;
  double tolerance = 0;   // how far integers may be from what is expected
  double mismatches = 0;  // the share of the compared elements that may be wrong
  double cut = 0;         // the share of an input that may be lost before it is multiplied
  double absolute = -1;   // this and the next: as Comparison has them; negative: it does not
  double relative = -1;
  std::vector<std::string> ignored = {};  // outputs that are not compared
};

// Throws InputError.
PlannedComparison plan_comparison(const Comparison& comparison, const Scope& scope);

// In Operation::arguments' order. One that the call lacks is a scalar with a value, which no launch
// takes. Throws InputError.
std::vector<PlannedBuffer> plan_buffers(const Operation& operation, const Scope& scope);

}  // namespace tilewright
