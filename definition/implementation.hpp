#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "definition/launch.hpp"
#include "definition/operation.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// An implementation as manifests describe it (definition.hpp).

// Which compiler a GPU's code needs. The host device has only its own.
enum class DeviceCompiler { nvrtc, nvcc };
inline constexpr std::array kDeviceCompilers = {"nvrtc", "nvcc"};
inline std::string to_text(DeviceCompiler compiler) {
  return kDeviceCompilers.at(static_cast<std::size_t>(compiler));
}

// Who calls and times what an evaluator has prepared (docs/evaluator.md).
enum class TimedBy {
  author,      // its process, with operands of its own
  tilewright,  // a session of ours, in its process and with our operands
};
inline constexpr std::array kTimedBy = {"author", "tilewright"};

struct Parameter {
  std::string name;
  std::string about;
  std::vector<Value> values;  // all integers, or all labels
  Value default_value;
  // Configurations with this value omit the parameter, as those from before it existed do.
  std::optional<Value> absent = {};
  std::optional<Expression> active = {};  // if it is false, the parameter has its default value
  Expression compiled_in{1};              // if it is false, it is no macro; uses only parameters
  // The number that suits a problem nobody measured; none: the number in the configuration.
  std::optional<Expression> follows = {};
};

template <>
inline constexpr auto kFields<Parameter> = std::tuple_cat(
    TILEWRIGHT_FIELDS(always, Parameter, name), TILEWRIGHT_FIELDS(never, Parameter, about),
    TILEWRIGHT_FIELDS(always, Parameter, values, default_value),
    TILEWRIGHT_FIELDS(unless_default, Parameter, absent),
    TILEWRIGHT_FIELDS(always, Parameter, active),
    TILEWRIGHT_FIELDS(unless_default, Parameter, compiled_in),
    TILEWRIGHT_FIELDS(never, Parameter, follows));

// Remarks of the device compiler with which a configuration is not worth running.
struct Remark {
  std::vector<std::string> codes;  // "C7510", as in the compiler's log
  std::string why;                 // one sentence; also the rule's name in reports
};

template <>
inline constexpr auto kFields<Remark> = std::tuple_cat(TILEWRIGHT_FIELDS(by_hand, Remark, codes),
                                                       TILEWRIGHT_FIELDS(never, Remark, why));

// A problem dimension or choice compiled in as the macro PROBLEM_<NAME>, or a term as TERM_<NAME>.
struct CompiledIn {
  std::string name;
  Expression when{1};
  std::optional<Expression> term = {};
};

template <>
inline constexpr auto kFields<CompiledIn> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, CompiledIn, name, when),
                   TILEWRIGHT_FIELDS(unless_default, CompiledIn, term));

// Kernels that are compiled apart from the implementation's others, with more macros and with a
// register limit of their own.
struct SourceUnit {
  std::string name;
  std::filesystem::path source;                   // the implementation's if the manifest names none
  std::map<std::string, Expression> macros = {};  // beside those of the implementation
  std::optional<Expression> max_registers = {};   // none: that of the implementation
};

template <>
inline constexpr auto kFields<SourceUnit> = std::tuple_cat(
    TILEWRIGHT_FIELDS(by_hand, SourceUnit, name), TILEWRIGHT_FIELDS(never, SourceUnit, source),
    TILEWRIGHT_FIELDS(always, SourceUnit, macros),
    TILEWRIGHT_FIELDS(unless_default, SourceUnit, max_registers));

struct Workspace {
  Expression bytes;
  enum class Fill { never, once, each } zero = Fill::never;  // when it is set to zero
  Expression prepared = {};  // bytes of the prepared input, which calls only read; 0: there is none
};

template <>
inline constexpr auto kFields<Workspace> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, Workspace, bytes, zero),
                   TILEWRIGHT_FIELDS(unless_default, Workspace, prepared));

// Lower bounds. A configuration that exceeds a limit by these bounds is skipped without compiling
// it. 0: the manifest gives none.
struct Estimate {
  Expression shared_bytes;  // static and dynamic, per block
  Expression registers;     // per thread
};

TILEWRIGHT_LIST_FIELDS(always, Estimate, shared_bytes, registers);

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

// The order is that of Cost.
TILEWRIGHT_LIST_FIELDS(never, CostFormulas, blocks, multiprocessors, resident, work, latency, least,
                       overhead);
using CostFormula = Field<CostFormulas, Expression, Written::never>;
inline constexpr auto kCostFormulas =
    std::apply([](auto... one) { return std::array{one...}; }, kFields<CostFormulas>);

class GeneralConfigurations;  // definition/general.hpp

struct Implementation {
  std::string name;  // "tiled"; the full name is "gemm/tiled"
  std::string operation;
  std::string about;
  std::int64_t epoch = 1;        // the author raises it when earlier results are no longer valid
  std::filesystem::path source;  // empty: it is a routine
  std::vector<std::filesystem::path> include_directories;
  OwnWork own_work = {};
  Terms terms = {};  // names in the manifest's expressions, which have them written out
  std::vector<std::string> dropped_options = {};  // only a host's compiler or a linker reads them
  std::string requires_architecture;              // "sm_90a"; empty: any
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Remark> remarks;
  bool architecture_specific = false;  // compiled for sm_90a on compute capability 9.0, and so on
  DeviceCompiler compiler = DeviceCompiler::nvrtc;
  Expression max_registers;          // per thread, for the compiler; 0: no limit
  std::vector<std::string> options;  // for the device compiler
  std::vector<CompiledIn> compiled_in;
  std::vector<SourceUnit> units;  // beside the implementation's own
  std::vector<Launch> launches;
  std::vector<Loop> loops = {};
  std::vector<ConstantSymbol> constants = {};
  std::string routine = {};  // of a library, in place of source and launches: "cublaslt"
  Workspace workspace;
  Estimate estimate;
  std::vector<std::string> snippets = {};  // labels of those that the routine computes itself
  std::vector<Settings> seeds;             // configurations worth trying first
  std::vector<Settings> general;           // beside the default, for problems that nobody measured
  std::optional<CostFormulas> cost;
  // Of a routine: the time of a call with default parameters, in thousandths of that of the kernel
  // with the least expected cycles. 0: not known.
  Expression relative_cost = {};
  // Of a manifest that was read: its general configurations, ready to be judged. They do not know
  // the constraints that a snippet adds.
  std::shared_ptr<const GeneralConfigurations> prepared_general = {};
  std::filesystem::path manifest;
  // The command of a process that prepares, checks and times configurations in place of a source
  // (docs/evaluator.md), as the manifest has it; empty: a kernel.
  std::vector<std::string> evaluator = {};
  TimedBy timed_by = TimedBy::author;
  std::vector<std::string> version = {};  // a command that prints what results have as its version
  std::vector<std::filesystem::path> files = {};  // whose contents identify the evaluator

  std::string full_name() const { return operation + '/' + name; }
  // Then the library lists the configurations for a problem, on the device.
  bool is_routine() const { return !routine.empty(); }
  bool is_evaluator() const { return !evaluator.empty(); }
};

template <>
inline constexpr auto kFields<Implementation> =
    std::tuple_cat(TILEWRIGHT_FIELDS(never, Implementation, name, operation, about, epoch, source,
                                     include_directories, own_work, terms, dropped_options),
                   TILEWRIGHT_FIELDS(always, Implementation, requires_architecture, parameters,
                                     constraints, remarks),
                   TILEWRIGHT_FIELDS(unless_default, Implementation, architecture_specific,
                                     compiler, max_registers),
                   TILEWRIGHT_FIELDS(always, Implementation, options, compiled_in, units, launches,
                                     loops, constants),
                   TILEWRIGHT_FIELDS(unless_default, Implementation, routine),
                   TILEWRIGHT_FIELDS(always, Implementation, workspace, estimate),
                   TILEWRIGHT_FIELDS(never, Implementation, snippets, seeds, general, cost,
                                     relative_cost, prepared_general, manifest),
                   TILEWRIGHT_FIELDS(unless_default, Implementation, evaluator, timed_by),
                   TILEWRIGHT_FIELDS(never, Implementation, version, files));

// The entry of an evaluator's one launch, which stands for all that its process does.
inline constexpr const char* kEvaluatorEntry = "evaluator";

// Throws InputError if it is an evaluator. `why_not` goes on after "its process": "cannot be …".
void require_kernel(const Implementation& implementation, const std::string& why_not);

}  // namespace tilewright
