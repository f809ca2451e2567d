#pragma once

#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "definition/source.hpp"

namespace tilewright {

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

// For a reference kernel: the constants of all choices, the macros of those that name types, such
// as TYPE_A and PROBLEM_TYPE_A, and what its manifest asks for.
std::vector<std::string> reference_options(const Operation& operation, const Problem& problem);
// The same for other kernels of the operation, such as one that fills.
std::vector<std::string> reference_options(const Operation& operation, const Reference& reference,
                                           const Problem& problem);

// The parameters whose macros no source mentions: configurations that differ only in them have the
// same code.
std::vector<std::string> unused_parameters(const KernelSource& source,
                                           const Implementation& implementation,
                                           const Operation& operation);

// --include-path=… for each of its folders.
std::vector<std::string> folder_options(const KernelSource& source);

}  // namespace tilewright
