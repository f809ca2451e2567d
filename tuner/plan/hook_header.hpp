#pragma once

#include <functional>
#include <map>
#include <string>

#include "definition/definition.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright {

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

}  // namespace tilewright
