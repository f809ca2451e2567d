#pragma once

#include <map>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "definition/field_list.hpp"
#include "definition/source.hpp"

namespace tilewright {

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
  std::string compiler = {};  // "nvcc": a GPU's code needs that one; empty: the usual one
};

template <>
inline constexpr auto kFields<CompileRequest> =
    std::tuple_cat(TILEWRIGHT_FIELDS(always, CompileRequest, source, source_name, headers, options,
                                     architecture, entries, constants, unit, units),
                   TILEWRIGHT_FIELDS(unless_default, CompileRequest, compiler));

// Whether the text may include headers that are not in the request: in <…> or by a macro.
bool includes_others(const CompileRequest& request);

// Each unit has the entries of its launches. One without an entry that may be launched is left out,
// also the first. Throws InputError if an expression has no result, or if entries of two units are
// the same after entry_of().
CompileRequest make_compile_request(const KernelSource& source,
                                    const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Configuration& configuration, const Scope& scope,
                                    const std::string& architecture);

}  // namespace tilewright
