// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace tilewright {

// The whole content. Throws InputError that names the file if it is missing, a folder, or cannot
// be read to its end.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace tilewright
