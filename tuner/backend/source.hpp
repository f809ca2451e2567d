#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "definition/source.hpp"
#include "tuner/backend/compiler.hpp"

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

// Each unit has the entries of its launches. One without an entry that may be launched is left out,
// also the first. Throws InputError if an expression has no result, or if entries of two units are
// the same after entry_of().
CompileRequest make_compile_request(const KernelSource& source,
                                    const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Configuration& configuration, const Scope& scope,
                                    const std::string& architecture);

// What a kernel includes as "HOOK.cuh" if the hook has a snippet, which is required here
// (docs/hooks.md). It has a struct with the snippet as its call operator, and two macros for the
// kernel's parameters. `real` is the type that the snippet computes in, "float", "double" or "int".
// Compiler messages name the snippet's own file and line.
std::string hook_header(const Hook& hook, const std::string& real);

// The headers with "HOOK.cuh" replaced for every hook that has a snippet. `real_of` gives `real`.
using RealOf = std::function<std::string(const Hook&)>;
std::map<std::string, std::string> with_snippets(std::map<std::string, std::string> headers,
                                                 const Operation& operation, const RealOf& real_of);

// A kernel that only calls the snippet. It is compiled first, to find mistakes in the snippet.
CompileRequest snippet_request(const Hook& hook, const std::string& real,
                               const std::string& architecture);

// The source with every quoted include replaced by the header's text, recursively, so that it needs
// no other file. A header with `#pragma once` appears once; if its first include depends on a
// condition, it gets include guards instead. Includes in <…>, and includes that are not in
// `headers`, stay. `#line` is removed, because it would name files that the reader does not have.
// Throws InputError for what exceeds a limit.
std::string flat_source(const std::string& source,
                        const std::map<std::string, std::string>& headers);

// `#define` lines for the options `-DNAME` and `-DNAME=VALUE`, in their order.
std::string define_lines(const std::vector<std::string>& options);

// The options that define no macro.
std::vector<std::string> without_macros(const std::vector<std::string>& options);

}  // namespace tilewright
