#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "definition/field_list.hpp"
#include "definition/source.hpp"

namespace tilewright {

// That of a routine, which a library has compiled.
inline constexpr const char* kNoCompiler = "none";

// Everything that the code depends on. Equal requests give equal code.
struct CompileRequest {
  std::string source;                          // text of the kernel file
  std::string source_name;                     // for messages
  std::map<std::string, std::string> headers;  // quoted include name → text, transitively
  std::vector<std::string> options;            // -D macros and the manifest's options
  std::string architecture;                    // "sm_90", "sm_90a"
  std::vector<std::string> entries;            // kernels to report on; of a template
                                               // its name expression
  std::vector<std::string> constants = {};     // variables that launches fill
  std::string unit = {};                       // the source unit's; empty: the implementation's own
  std::vector<CompileRequest> units = {};      // further units, which have none themselves
  // "nvcc": a GPU's code needs that one; empty: the usual one; kNoCompiler: there is no code.
  std::string compiler = {};
};

template <>
inline constexpr auto kFields<CompileRequest> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, CompileRequest, source, source_name, headers, options,
                                     architecture, entries, constants, unit, units),
                   TILEWRIGHT_FIELDS(unless_default, CompileRequest, compiler));

// Whether the text may include headers that are not in the request.
bool includes_others(const CompileRequest& request);

// Each unit has the entries of its launches. One without an entry that may be launched is left out,
// also the first. Throws InputError if an expression has no result, or if entries of two units are
// the same after entry_of().
CompileRequest make_compile_request(const KernelSource& source,
                                    const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Configuration& configuration, const Scope& scope,
                                    const std::string& architecture);

// The macros of a configuration: parameters by name, each label as LOADING_COOPERATIVE = index, and
// the compiled-in part of the problem as PROBLEM_<NAME> (docs/manifest-source.md).
std::vector<std::string> macro_options(const Implementation& implementation,
                                       const Operation& operation, const Problem& problem,
                                       const Configuration& configuration, const Scope& scope);

// The macros of a source unit, beside those of macro_options().
struct UnitMacros {
  std::string unit;                  // as of a launch
  std::vector<std::string> entries;  // after entry_of()
  std::vector<std::string> macros;   // "-DNAME=VALUE"
};

// Of all units of which something may be launched. Throws InputError if an expression has no
// result.
std::vector<UnitMacros> unit_macros(const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Scope& scope);
// Whether one set of macros compiles all of them.
bool have_same_macros(const std::vector<UnitMacros>& units);

// macro_options() and the macros of units: all with which launches are compiled. Nothing if two
// launches have different ones.
std::optional<std::vector<std::string>> macros_of_launches(const Implementation& implementation,
                                                           const Operation& operation,
                                                           const Problem& problem,
                                                           const Configuration& configuration,
                                                           const Scope& scope);

// The parameters whose macros the source, its headers, options and entries do not mention. None
// where that cannot be known: without a text, with headers that are not here, or where names are
// joined.
std::vector<std::string> unused_parameters(const KernelSource& source,
                                           const Implementation& implementation,
                                           const Operation& operation);

// Those with several values that no code depends on, of any unit: configurations that differ only
// in them are compiled once.
std::vector<std::string> parameters_without_code(const KernelSource& source,
                                                 const Implementation& implementation,
                                                 const Operation& operation);

// For a reference kernel, or one that fills: the constants of all choices, the macros of those that
// name types, such as TYPE_A and PROBLEM_TYPE_A, and what its manifest asks for.
std::vector<std::string> reference_options(const Operation& operation, const Reference& reference,
                                           const Problem& problem);

// --include-path=… for each of its folders, and a macro that names the contents.
std::vector<std::string> folder_options(const KernelSource& source);

// The keys of CompileResult::entries. A kernel's is its entry. A variable's begins with '&', as the
// name expression by which a compiler is asked for it does. Source units may have variables of one
// name, so the key names the unit unless it is the implementation's own.

// Reading a manifest makes a unit of each launch with macros of its own. Two of them may have the
// same entry. No name that a manifest gives has a space.
inline constexpr const char* kLaunchUnit = "launch ";

inline std::string entry_key(const std::string& entry, const std::string& unit) {
  return unit.starts_with(kLaunchUnit) ? entry + " of " + unit : entry;
}

inline std::string constant_key(const std::string& symbol, const std::string& unit) {
  return '&' + symbol + (unit.empty() ? "" : " of unit " + unit);
}

// Whether a unit has the variable. A launch with macros of its own has the source of the
// implementation's own unit.
inline bool is_of_unit(const ConstantSymbol& constant, const std::string& unit) {
  return constant.unit == unit || (constant.unit.empty() && unit.starts_with(kLaunchUnit));
}

inline bool is_constant_key(const std::string& key) {
  return key.starts_with('&');
}

// "d_filter of unit low", for messages.
inline std::string constant_name(const std::string& key) {
  return key.substr(1);
}

}  // namespace tilewright
