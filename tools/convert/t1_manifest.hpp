#pragma once

#include <filesystem>
#include <string>

#include "tools/convert/t1_problem.hpp"

namespace tilewright::tools {

// The text of a manifest that will be in `folder`; files are named relative to it.
std::string manifest_text(const T1Problem& problem, const std::filesystem::path& folder);

}  // namespace tilewright::tools
