#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "definition/expression/expression.hpp"
#include "definition/fill.hpp"
#include "definition/launch.hpp"
#include "tilewright/argument.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// The checked content of manifests. docs/manifest*.md are the specification; every field here is a
// key there.

// How a look-up uses a dimension or choice when it compares problems.
enum class ProblemRole {
  distance,  // nearer is better
  same,      // must be equal ("class" in manifests)
  none,      // does not matter
};

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

// Which compiler a GPU's code needs. The host device has only its own.
enum class DeviceCompiler { nvrtc, nvcc };

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

// A position that a hook gives to its snippet: an int from 0 to count − 1.
struct Coordinate {
  std::string name;
  Expression count;
};

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

// Where right answers come from: a built-in computation, or launches of the user's own kernel.
struct Reference {
  std::string builtin;  // "gemm", "conv1d", "sum", …; empty: kernel
  std::filesystem::path
      source;  // kernel: a .cu file; beside a builtin, for problems with a snippet
  std::vector<Launch> launches;
  std::vector<std::filesystem::path> include_directories = {};
  std::vector<std::string> options = {};      // for the device compiler
  std::vector<std::string> compiled_in = {};  // dimensions and choices; checks do not change them
  std::vector<ConstantSymbol> constants = {};
  std::vector<Loop> loops = {};
};

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
};

struct Constraint {
  Expression require;
  std::string why;  // one sentence; also the rule's name in reports
};

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

// The work of one call where it depends on the implementation. None: that of the operation.
struct OwnWork {
  std::optional<Expression> flops = {};  // both may use its parameters and device.*
  std::optional<Expression> bytes = {};
};

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
  Reference reference;
  Comparison comparison;
  std::vector<Settings> checks;  // further problems on which answers must be right
  std::vector<Workload> workloads;
  std::vector<Metric> metrics = {};
  // Kernels that make the contents of inputs, by argument. They launch on other arguments.
  std::map<std::string, Reference> kernel_fills = {};
  std::filesystem::path manifest;
};

struct Parameter {
  std::string name;
  std::string about;
  std::vector<Value> values;  // all integers, or all labels
  Value default_value;
  std::optional<Expression> active;  // if it is false, the parameter has its default value
  Expression compiled_in{1};         // if it is false, it is no macro; uses only parameters
  // The number that suits a problem nobody measured; none: the number in the configuration.
  std::optional<Expression> follows = {};
  // Configurations with this value omit the parameter, as those from before it existed do.
  std::optional<Value> absent = {};
};

// Remarks of the device compiler with which a configuration is not worth running.
struct Remark {
  std::vector<std::string> codes;  // "C7510", as in the compiler's log
  std::string why;                 // one sentence; also the rule's name in reports
};

// A problem dimension or choice compiled in as the macro PROBLEM_<NAME>, or a term as TERM_<NAME>.
struct CompiledIn {
  std::string name;
  Expression when{1};
  std::optional<Expression> term = {};  // uses parameters and what is always compiled in
};

// Kernels that are compiled apart from the implementation's others, with more macros and with a
// register limit of their own.
struct SourceUnit {
  std::string name;
  std::filesystem::path source;                   // the implementation's if the manifest names none
  std::map<std::string, Expression> macros = {};  // beside those of the implementation
  std::optional<Expression> max_registers = {};   // none: that of the implementation
};

struct Workspace {
  Expression bytes;
  enum class Fill { never, once, each } zero = Fill::never;  // when it is set to zero
};

// Lower bounds. A configuration that exceeds a limit by these bounds is skipped without compiling
// it. 0: the manifest gives none.
struct Estimate {
  Expression shared_bytes;  // static and dynamic, per block
  Expression registers;     // per thread
};

// What a call is expected to cost, so that something is chosen where nothing is measured
// (docs/manifest-implementation.md). Cycles are those of a multiprocessor.
struct CostFormulas {
  Expression blocks;              // thread blocks of the call
  Expression multiprocessors{1};  // on which they can run at the same time
  Expression resident{1};         // blocks that one of them holds
  Expression work;                // cycles for which a block occupies it
  Expression latency;             // cycles that a block takes even if it is alone
  Expression least;               // cycles that the call takes at least
  Expression overhead;            // cycles that it takes in addition
};

// The only list of the formulas, in the order of ladder::Cost.
struct CostFormula {
  const char* name;  // in manifests
  Expression CostFormulas::*member;
};
inline constexpr std::array kCostFormulas = std::to_array<CostFormula>({
    {"blocks", &CostFormulas::blocks},
    {"multiprocessors", &CostFormulas::multiprocessors},
    {"resident", &CostFormulas::resident},
    {"work", &CostFormulas::work},
    {"latency", &CostFormulas::latency},
    {"least", &CostFormulas::least},
    {"overhead", &CostFormulas::overhead},
});

class GeneralConfigurations;  // definition/general.hpp

struct Implementation {
  std::string name;  // "tiled"; the full name is "gemm/tiled"
  std::string operation;
  std::string about;
  std::int64_t epoch = 1;  // the author raises it when earlier results are no longer valid
  std::filesystem::path source;
  std::vector<std::filesystem::path> include_directories;
  std::vector<std::string> options;    // for the device compiler
  std::string requires_architecture;   // "sm_90a"; empty: any
  bool architecture_specific = false;  // compiled for sm_90a on compute capability 9.0, and so on
  DeviceCompiler compiler = DeviceCompiler::nvrtc;
  OwnWork own_work = {};
  Expression max_registers;  // per thread, for the compiler; 0: no limit
  std::vector<Parameter> parameters;
  Terms terms = {};  // names in the manifest's expressions, which have them written out
  std::vector<Constraint> constraints;
  std::vector<Remark> remarks;
  std::vector<CompiledIn> compiled_in;
  std::vector<SourceUnit> units;  // beside the implementation's own
  std::vector<ConstantSymbol> constants = {};
  std::vector<Loop> loops = {};
  std::vector<Launch> launches;
  Workspace workspace;
  Estimate estimate;
  std::vector<Settings> seeds;    // configurations worth trying first
  std::vector<Settings> general;  // beside the default, for problems that nobody measured
  std::optional<CostFormulas> cost;
  // Of a manifest that was read: its general configurations, ready to be judged. They do not know
  // the constraints that a snippet adds.
  std::shared_ptr<const GeneralConfigurations> prepared_general = {};
  std::filesystem::path manifest;

  std::string full_name() const { return operation + '/' + name; }
};

// The macro with the index of a label: LOADING_COOPERATIVE, BOUNDARY_ZERO.
std::string label_macro(const std::string& name, const std::string& label);
// The macro of a dimension or choice that is compiled in: PROBLEM_TAPS.
std::string problem_macro(const std::string& name);
// That macro, or a term's: TERM_BOX_ROWS.
std::string macro_of(const CompiledIn& item);
// Whether all labels of the choice are element types. If it is compiled in, the macro TYPE_A is the
// type in CUDA C++.
bool holds_types(const Choice& choice);
// Whether any label is one: then the choice is about types, and reference kernels know it too.
bool names_types(const Choice& choice);
std::string type_macro(const std::string& choice);

// The entry with the type in CUDA C++ in place of each {CHOICE} whose labels are types.
std::string entry_of(std::string entry, const Operation& operation, const Scope& scope);

// Those of the parameter's values that are labels.
std::vector<std::string> labels_of(const Parameter& parameter);

// Sets the parameter, or omits it if the value is its absent one.
void set(Configuration& configuration, const Parameter& parameter, const Value& value);

// The value of a parameter or choice, also of one that the settings omit. Nothing if they lack it.
const Value* find_value(const Configuration& configuration, const Parameter& parameter);
std::optional<Value> find_value(const Problem& problem, const Choice& choice);
// The value of a dimension, choice or hook.
std::optional<Value> find_value(const Operation& operation, const Problem& problem,
                                const std::string& name);

// The configuration of all defaults.
Configuration default_configuration(const Implementation& implementation);

// The default with these values in place of its own.
Configuration default_with(const Implementation& implementation, const Settings& values);

// The default, then the default with the values of each element of `general`.
std::vector<Configuration> general_configurations(const Implementation& implementation);

}  // namespace tilewright
