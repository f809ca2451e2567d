// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "definition/text/text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tilewright/error.hpp"

namespace tilewright {

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw InputError(fmt::format("{}: there is no such file", path.string()));
  if (std::filesystem::is_directory(status))
    throw InputError(fmt::format("{}: is a folder; give a file", path.string()));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::array<char, 1 << 16> part;
  // Not through operator<<: it takes a failed read for the end of the file.
  while (stream) {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof())
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  return text;
}

}  // namespace tilewright
