// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "definition/library/library.hpp"

namespace tilewright {

// The one [snippet] of a file. Throws InputError with file:line:column.
Snippet read_snippet(const std::filesystem::path& file);

// Throws InputError where there is one of that name for that hook already.
void add_snippet(std::vector<Snippet>& snippets, const Snippet& snippet);

// The family for problems with that snippet in its hook: the snippet's arguments follow the
// operation's, named HOOK_ARGUMENT, right answers come from the operation's reference kernel, and
// implementations that do not call the hook are ruled out by a constraint. Throws InputError: the
// operation has no such hook, a count uses a name that hook and operation do not have, an argument
// has the name of a coordinate.
Family with_snippet(Family family, const Snippet& snippet);

// Whether the values name a snippet for a hook of the operation that has none yet.
bool name_snippets(const Operation& operation, const Settings& values);

// The family with the snippets that the values name, by name, by label or as FILE.toml; those
// values become labels. Names and labels are looked for in `known`. Throws InputError that names
// the nearest.
Family with_snippets(Family family, Settings& values, const std::vector<Snippet>& known);

}  // namespace tilewright
