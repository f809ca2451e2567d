#pragma once

#include <filesystem>
#include <vector>

#include "definition/library/library.hpp"

namespace tilewright {

// Reads the [snippet] of a file. Throws InputError with file:line:column.
Snippet read_snippet(const std::filesystem::path& file);

// Throws InputError if there is already a snippet with this name for the hook.
void add_snippet(std::vector<Snippet>& snippets, const Snippet& snippet);

// The family for problems with this snippet. The snippet's arguments follow the operation's and are
// named HOOK_ARGUMENT. Right answers come from the operation's reference kernel. A constraint rules
// out implementations that do not call the hook. Throws InputError if the operation has no such
// hook, a count uses a name that hook and operation do not have, or an argument has the name of a
// coordinate.
Family with_snippet(Family family, const Snippet& snippet);

// Whether the values name a snippet for a hook that has none yet.
bool name_snippets(const Operation& operation, const Settings& values);

// The family with the snippets that the values name, by a name or label in `known` or as FILE.toml.
// Replaces these values by labels. Throws InputError that suggests a similar name.
Family with_snippets(Family family, Settings& values, const std::vector<Snippet>& known);

}  // namespace tilewright
