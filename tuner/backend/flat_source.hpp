// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilewright {

// The source with each quoted include replaced by that header's text, and theirs in turn: one text
// that needs no other file. A header with `#pragma once` stands there once, or between guards where
// its first place depends on a condition. Includes in <…> stay; `#line`, which would name files
// that nobody has, is left out. An include without a header in `headers` stays as it is.
std::string flat_source(const std::string& source,
                        const std::map<std::string, std::string>& headers);

// `#define` lines for the options `-DNAME` and `-DNAME=VALUE`, in their order.
std::string define_lines(const std::vector<std::string>& options);

// The options that are no such macro.
std::vector<std::string> without_macros(const std::vector<std::string>& options);

}  // namespace tilewright
