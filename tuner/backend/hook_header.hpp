// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "definition/definition.hpp"
#include "tuner/backend/compiler.hpp"

namespace tilewright {

// What a kernel includes as "HOOK.cuh" when there is a snippet (docs/hooks.md): the struct with
// the snippet as its call operator, and the two macros for the kernel's parameters. `real` is the
// type that the snippet computes in, "float" or "double". Messages of a compiler name the snippet's
// own file and line. The hook must have a snippet.
std::string hook_header(const Hook& hook, const std::string& real);

// A source's headers with "HOOK.cuh" replaced for every hook that has a snippet.
std::map<std::string, std::string> with_snippets(std::map<std::string, std::string> headers,
                                                 const Operation& operation,
                                                 const std::string& real);

// A kernel that does nothing but call the snippet, to find what does not compile in it before
// anything else is compiled.
CompileRequest snippet_request(const Hook& hook, const std::string& real,
                               const std::string& architecture);

}  // namespace tilewright
