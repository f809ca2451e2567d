#pragma once

#include <filesystem>
#include <vector>

#include "tools/input/options.hpp"

namespace tilewright::tools {

// Throws InputError if --output names a database, or one of the files that the command reads: what
// is in it would be lost. To be called before anything is done.
void check_output(const Arguments& arguments,
                  const std::vector<std::filesystem::path>& files_read = {});

}  // namespace tilewright::tools
