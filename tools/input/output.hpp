#pragma once

#include <filesystem>
#include <vector>

#include "campaign/target.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// The manifests, sources and snippets of a target.
std::vector<std::filesystem::path> files_of(const Target& target);

// Throws InputError if --output names a database, a file of --shipped, or one of those that the
// command reads: what is in it would be lost. To be called before anything is done.
void check_output(const Arguments& arguments,
                  const std::vector<std::filesystem::path>& files_read = {});

}  // namespace tilewright::tools
