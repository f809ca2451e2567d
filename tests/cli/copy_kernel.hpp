#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::test {

// Texts of a manifest, and what replaces each.
using Edits = std::vector<std::pair<std::string, std::string>>;

// Writes a user's kernel into `folder`: the operation `copy` over n elements with its reference,
// and copy/plain, whose BLOCK is 32 or 64. Its source refuses to compile with a BLOCK of 96.
// Applies each edit once. Returns the manifest; throws if an edit finds no text to replace.
std::filesystem::path write_copy_kernel(const std::filesystem::path& folder,
                                        const Edits& edits = {});

}  // namespace tilewright::test
