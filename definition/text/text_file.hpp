// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace tilewright {

// The whole content. Throws InputError that names the file if it is missing, a folder, or cannot
// be read to its end.
std::string read_text_file(const std::filesystem::path& path);

// Writes beside the file (what a link leads to) and renames, so that a reader sees the old
// content or the new; what is no regular file, such as a pipe, is written to. Throws
// MachineError.
void write_file(const std::filesystem::path& file, const std::string& content);

// Where temporary files go. Throws MachineError if there is no such place.
std::filesystem::path temporary_folder();

}  // namespace tilewright
