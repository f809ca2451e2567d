#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/target.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

// The manifests, sources and snippets of a target.
std::vector<std::filesystem::path> files_of(const Target& target);

// Throws InputError if `output`, the value of --output, names a database, a file of --shipped, or
// one of those that the command reads: what is in it would be lost. To be called before anything is
// done.
void check_output(const std::string& output, const Places& places,
                  const std::vector<std::filesystem::path>& files_read = {});

// Writes to `output`, or on standard output if it is empty.
void write_output(const std::string& output, const std::string& content);

}  // namespace tilewright::tools
