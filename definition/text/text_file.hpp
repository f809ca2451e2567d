#pragma once

#include <filesystem>
#include <string>

namespace tilewright {

// The whole content. Throws InputError that names the file if it is missing, a folder, or cannot
// be read to its end.
std::string read_text_file(const std::filesystem::path& path);

// Writes a temporary file in the same folder and renames it, so that a reader sees either the old
// content or the new. Follows links. Writes directly to what is not a regular file, such as a pipe.
// Throws MachineError.
void write_file(const std::filesystem::path& file, const std::string& content);

}  // namespace tilewright
