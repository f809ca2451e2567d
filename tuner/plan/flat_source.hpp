#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilewright {

// The source with every quoted include replaced by the header's text, recursively, so that it needs
// no other file. A header with `#pragma once` appears once; if its first include depends on a
// condition, it gets include guards instead. Includes in <…>, and includes that are not in
// `headers`, stay. `#line` is removed, because it would name files that the reader does not have.
// Throws InputError for what exceeds a limit.
std::string flat_source(const std::string& source,
                        const std::map<std::string, std::string>& headers);

// `#define` lines for the options `-DNAME` and `-DNAME=VALUE`, in their order.
std::string define_lines(const std::vector<std::string>& options);

// The options that define no macro.
std::vector<std::string> without_macros(const std::vector<std::string>& options);

}  // namespace tilewright
