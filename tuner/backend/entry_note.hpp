#pragma once

#include <string>
#include <vector>

namespace tilewright {

// Notes of a compile log on entries that mean no kernel. Every backend writes the same ones.

inline constexpr const char* kEntryNote = "note: no kernel";

// `kernels` are those that the code has.
std::string missing_note(const std::string& entry, const std::vector<std::string>& kernels);
// `overloads` are the declarations that share the name, at least two.
std::string ambiguous_note(const std::string& entry, const std::vector<std::string>& overloads);

// Of a compile that failed because the source has no such variable: a line that says so. Else
// empty.
std::string missing_constant_note(const std::string& log,
                                  const std::vector<std::string>& constants);

// The note on an entry in a log, without "note: ". Empty if there is none.
std::string entry_note(const std::string& log, const std::string& entry);

}  // namespace tilewright
