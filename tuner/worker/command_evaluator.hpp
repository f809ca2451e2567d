#pragma once

#include <string>
#include <vector>

namespace tilewright {

// The evaluator behind the key `command` of a manifest: each time, its program runs anew. Answers
// requests on one descriptor by answers on the other, until there are no more (docs/evaluator.md).
// What the program writes goes to this process's standard output and error. `words` are those after
// the program's name. False if they are not command_in(). Throws InputError for a time that cannot
// be found.
bool serve_command(const std::vector<std::string>& words, int requests, int answers);

}  // namespace tilewright
