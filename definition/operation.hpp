#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/fill.hpp"
#include "definition/launch.hpp"
#include "tilewright/argument.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// An operation as manifests describe it (definition.hpp).

// How a look-up uses a dimension or choice when it compares problems.
enum class ProblemRole {
  distance,  // nearer is better
  same,      // must be equal ("class" in manifests)
  none,      // does not matter
};
inline constexpr std::array kProblemRoles = {"distance", "class", "none"};

struct Dimension {
  std::string name;
  std::string about;
  std::int64_t default_value = 1;
  std::int64_t host_default = 1;  // default on the host device, which is slower
  // Replaces both defaults. May use choices and the dimensions before this one.
  std::optional<Expression> computed_default = {};
  std::int64_t minimum = 1;
  std::optional<Expression> computed_minimum = {};  // a second minimum, from the same names
  std::int64_t maximum = 2147483647;
  ProblemRole role = ProblemRole::distance;
};

TILEWRIGHT_LIST_FIELDS(never, Dimension, name, about, default_value, host_default, computed_default,
                       minimum, computed_minimum, maximum, role);

struct Choice {
  std::string name;
  std::string about;
  std::vector<std::string> labels;
  std::string default_label;
  // Replaces the default. Its value is a label, and it may use the choices before this one.
  std::optional<Expression> computed_default = {};
  // Problems with this label, which is the default without other choices, omit the choice. So do
  // those from before there was the choice. Empty: no problem omits it.
  std::string absent = {};
  ProblemRole role = ProblemRole::same;
};

TILEWRIGHT_LIST_FIELDS(never, Choice, name, about, labels, default_label, computed_default, absent,
                       role);

inline constexpr std::array kArgumentKinds = {"buffer", "scalar", "array"};
inline constexpr std::array kArgumentRoles = {"input", "output", "inout"};

struct Argument {
  std::string name;
  std::string about;
  ArgumentKind kind = ArgumentKind::buffer;
  ElementType type = ElementType::float32;
  std::optional<Expression> computed_type = {};  // replaces it; the value is the name of a type
  ArgumentRole role = ArgumentRole::input;
  Expression when{1};       // false: calls have no such argument
  Expression read_when{1};  // inouts: if it is false, the argument is an output
  Expression count{1};
  std::int64_t lanes = 1;           // buffers: numbers of an element, which `type` is the type of
  std::int64_t capacity = 0;        // arrays only
  std::optional<Expression> value;  // scalars: computed instead of filled
  RealValue real = {};              // of such a value
  Fill fill;
  ComputedFill computed_fill = {};
  bool has_own_fill = false;  // false: with a computed type, the fill is that of the type
  std::optional<Fill> integer_fill = {};  // replaces it where a computed type is an integer type
};

template <>
inline constexpr auto kFields<Argument> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, Argument, name), TILEWRIGHT_FIELDS(never, Argument, about),
    TILEWRIGHT_FIELDS(by_hand, Argument, kind, type, computed_type, role, when, read_when, count,
                      lanes, capacity, value, real, fill, computed_fill, has_own_fill,
                      integer_fill));

// The type that an expression names, and that of the argument's elements in a problem. REQUIRES
// that the scope has its values. Throws InputError.
ElementType type_of(const Expression& type, const Scope& scope);
ElementType type_of(const Argument& argument, const Scope& scope);

// The user's device code for one hook of an operation, with the inputs that it needs.
struct Snippet {
  std::string name;
  std::string hook;
  std::string about;
  std::string code;                 // a function's body
  std::vector<Argument> arguments;  // buffers and scalars; counts may use the hook's coordinates
  std::filesystem::path file;
  std::size_t line = 1;      // of `file`, where the code begins
  std::string same_as = {};  // the hash of an earlier text, whose results are this one's; or empty

  // `bias_gelu_0f3c…`: the name and a hash of the code and the arguments, or `same_as`. It is the
  // snippet's value in a problem, so two snippets with the same name give two problems.
  std::string label() const;
};

TILEWRIGHT_LIST_FIELDS(never, Snippet, name, hook, about, code, arguments, file, line, same_as);

// A position that a hook gives to its snippet: an int from 0 to count − 1.
struct Coordinate {
  std::string name;
  Expression count;
};

TILEWRIGHT_LIST_FIELDS(never, Coordinate, name, count);

// Where the kernels of an operation call the problem's snippet, on each value before it is stored.
// Without a snippet the value is stored unchanged.
struct Hook {
  std::string name;
  std::string about;
  std::vector<Coordinate> coordinates;
  // The name of the type of the value: float32 or float64.
  Expression type = Expression::parse("'float32'");
  std::optional<Snippet> snippet = {};
};

TILEWRIGHT_LIST_FIELDS(never, Hook, name, about, coordinates, type, snippet);

// The name of a snippet's argument among those of the operation.
std::string hook_argument(const Hook& hook, const Argument& argument);

// The value of a hook in a problem that has no snippet for it.
inline constexpr const char* kNoSnippet = "none";

// A variable of the source, usually a `__constant__` array, that has the elements of an input
// buffer while the kernels run.
struct ConstantSymbol {
  std::string symbol;     // its name in C++: "d_filter", "mine::d_filter"
  std::string from;       // name of the buffer
  std::string unit = {};  // as of a launch
  Expression when{1};     // false: the code has no such variable; uses only parameters
};

template <>
inline constexpr auto kFields<ConstantSymbol> =
    std::tuple_cat(TILEWRIGHT_FIELDS(by_hand, ConstantSymbol, symbol, from),
                   TILEWRIGHT_FIELDS(always, ConstantSymbol, unit, when));

// Where right answers come from: a built-in computation, or launches of the user's own kernel.
struct Reference {
  std::string builtin;  // "gemm", "conv1d", "sum", …; empty: kernel
  std::filesystem::path
      source;  // kernel: a .cu file; beside a builtin, for problems with a snippet
  std::vector<std::filesystem::path> include_directories = {};
  std::vector<std::string> options = {};          // for the device compiler
  std::vector<std::string> dropped_options = {};  // only a host's compiler or a linker reads them
  std::vector<std::string> compiled_in = {};  // dimensions and choices; checks do not change them
  std::vector<Launch> launches;
  std::vector<Loop> loops = {};
  std::vector<ConstantSymbol> constants = {};
};

template <>
inline constexpr auto kFields<Reference> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, Reference, builtin), TILEWRIGHT_FIELDS(by_hand, Reference, source),
    TILEWRIGHT_FIELDS(never, Reference, include_directories, dropped_options),
    TILEWRIGHT_FIELDS(by_hand, Reference, options),
    TILEWRIGHT_FIELDS(unless_default, Reference, compiled_in),
    TILEWRIGHT_FIELDS(always, Reference, launches, loops, constants));

// An output is right if |output − reference| ≤ scale · eps · (size · reduction + 4 · |reference|).
// eps is the machine epsilon of its type, and 0 for integers; size that of the largest output, at
// most 1. `reduced`: outputs are summed first.
struct Comparison {
  bool reduced = false;
  Expression reduction{1};  // terms added up for one output
  double scale = 1;
  // The name of the type in which terms are added up. None: the output's, at least float32.
  std::optional<Expression> sums = {};
  // Bits of mantissa to which inputs may be cut before they are multiplied; 0: they are not cut.
  Expression inputs{0};
  double tolerance = 0;   // how far integers may be from what is expected
  double mismatches = 0;  // the share of the compared elements that may be wrong
  // In place of what the formula allows: whatever the reference is, and as a share of it.
  std::optional<double> absolute = {};
  std::optional<double> relative = {};
  std::vector<std::string> ignored = {};  // outputs that are not compared
};

template <>
inline constexpr auto kFields<Comparison> =
    std::tuple_cat(TILEWRIGHT_FIELDS(by_hand, Comparison, reduced, reduction, scale),
                   TILEWRIGHT_FIELDS(unless_default, Comparison, sums, inputs, tolerance,
                                     mismatches, absolute, relative, ignored));

struct Constraint {
  Expression require;
  std::string why;  // one sentence; also the rule's name in reports
};

template <>
inline constexpr auto kFields<Constraint> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, Constraint, require), TILEWRIGHT_FIELDS(never, Constraint, why));

// Problems of one sort that applications have. Sizes are spread evenly over their logarithms.
struct Workload {
  struct Range {
    std::string dimension;
    std::int64_t from = 1;
    std::int64_t to = 1;
    std::int64_t step = 1;  // only multiples of it
  };

  std::string name;
  std::string about;
  std::vector<Range> sizes;
  std::vector<std::string> choices;  // which have each of their labels alike
};

TILEWRIGHT_LIST_FIELDS(never, Workload::Range, dimension, from, to, step);

TILEWRIGHT_LIST_FIELDS(never, Workload, name, about, sizes, choices);

// The work of one call where it depends on the implementation. None: that of the operation.
struct OwnWork {
  std::optional<Expression> flops = {};  // both may use its parameters and device.*
  std::optional<Expression> bytes = {};
};

TILEWRIGHT_LIST_FIELDS(never, OwnWork, flops, bytes);

// A figure of the user's own, worked out from a measured time.
struct Metric {
  enum class Better { lower, higher };

  std::string name;
  std::string about;
  std::string unit;
  // Real numbers. May use the problem, parameters, device.*, and kMeasuredNames.
  Expression value;
  Better better = Better::lower;
};

TILEWRIGHT_LIST_FIELDS(never, Metric, name, about, unit, value, better);

// What a metric knows besides the names of other expressions: seconds of a call, and its work.
inline constexpr std::array kMeasuredNames = {"time", "flops", "bytes"};

struct Operation {
  std::string name;
  std::string about;
  std::vector<Dimension> dimensions;
  std::vector<Choice> choices;
  std::vector<Constraint> constraints;  // of its problems
  std::vector<Hook> hooks;
  std::vector<Expression> classes;  // near problems have equal values of these
  std::vector<Argument> arguments;
  Expression flops;                              // of one call
  Expression bytes;                              // least traffic of one call
  std::map<std::string, OwnWork> own_work = {};  // of a family's, by full name
  // Kernels that make the contents of inputs, by argument. They launch on other arguments.
  std::map<std::string, Reference> kernel_fills = {};
  std::vector<Settings> checks;  // further problems on which answers must be right
  Reference reference;
  Comparison comparison;
  std::vector<Workload> workloads;
  std::vector<Metric> metrics = {};
  std::filesystem::path manifest;
};

template <>
inline constexpr auto kFields<Operation> =
    std::tuple_cat(TILEWRIGHT_FIELDS(never, Operation, name, about, dimensions, choices,
                                     constraints, hooks, classes),
                   TILEWRIGHT_FIELDS(always, Operation, arguments),
                   TILEWRIGHT_FIELDS(never, Operation, flops, bytes, own_work),
                   TILEWRIGHT_FIELDS(by_hand, Operation, kernel_fills, checks),
                   TILEWRIGHT_FIELDS(always, Operation, reference, comparison),
                   TILEWRIGHT_FIELDS(never, Operation, workloads, metrics, manifest));

}  // namespace tilewright
