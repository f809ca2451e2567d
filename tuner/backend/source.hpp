#pragma once

#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tuner/backend/compiler.hpp"

namespace tilewright {

// An implementation's source and all headers that it includes by "…". A sweep reads it once.
struct KernelSource {
  std::string text;
  std::string name;
  std::map<std::string, std::string> headers;
  std::string hash;  // XXH3-128 of names and texts, in hex
};

// Throws InputError if a file or a quoted include cannot be read. Includes in <…> are not read.
KernelSource read_source(const std::filesystem::path& source,
                         const std::vector<std::filesystem::path>& include_directories);

// `#include "name"` outside comments, with its line, counted from 1.
struct QuotedInclude {
  std::string name;
  std::size_t line = 0;
};
std::vector<QuotedInclude> quoted_includes(const std::string& text);

// The macros of a configuration: parameters by name, each label as LOADING_COOPERATIVE = index, and
// the compiled-in part of the problem as PROBLEM_<NAME> (docs/manifest.md).
std::vector<std::string> macro_options(const Implementation& implementation,
                                       const Operation& operation, const Problem& problem,
                                       const Configuration& configuration, const Scope& scope);

CompileRequest make_compile_request(const KernelSource& source,
                                    const Implementation& implementation,
                                    const Operation& operation, const Problem& problem,
                                    const Configuration& configuration, const Scope& scope,
                                    const std::string& architecture);

}  // namespace tilewright
