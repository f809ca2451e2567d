// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "db/store/store.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// Exports that need definitions too. They answer as `best` does, shipped results included. The
// store may be null: there is none. Nothing where there is no result to write.

// The C++ header for the operations that match.
std::optional<std::string> header_content(const Arguments& arguments, const Query& query,
                                          const Store* store);

// Macros for the problem that the command line names, one set for each GPU with results, chosen by
// the preprocessor.
std::optional<std::string> defines_content(const Arguments& arguments, const Store* store);

}  // namespace tilewright::tools
