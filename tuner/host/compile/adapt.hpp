// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backend/compiler.hpp"

namespace tilewright {

// The text of tilewright_host.h, which takes the place of CUDA's built-ins.
extern const std::string_view kHostShim;

}  // namespace tilewright

namespace tilewright::host {

// A kernel's files as a host compiler takes them, by file name; kMainFile is the one to compile.
inline constexpr const char* kMainFile = "kernel.cpp";
std::map<std::string, std::string> adapt_sources(const CompileRequest& request);

// The symbol of the number-th entry of a request.
std::string entry_symbol(std::size_t number);

// CUDA source text as the shim needs it: dynamic shared memory declared as a reference to the
// launch's, quoted includes by names that stay in one folder. No line is added or removed.
std::string adapt_text(const std::string& text);

// A quoted include's name as the name of a file below one folder.
std::string file_name_of(const std::string& include);

}  // namespace tilewright::host
