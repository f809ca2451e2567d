// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tilewright/error.hpp"

namespace tilewright::tools {

std::string read_file(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw InputError(fmt::format("{} is a folder; give a file", file.string()));
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  if (in) content << in.rdbuf();
  if (!in)
    throw InputError(fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
  return content.str();
}

void write_file(const std::filesystem::path& file, const std::string& content) {
  std::filesystem::path temporary = file;
  temporary += fmt::format(".{}.tmp", getpid());
  std::ofstream out(temporary, std::ios::binary);
  out << content;
  out.close();
  std::error_code error;
  if (!out) {
    error = std::error_code(errno, std::generic_category());
  } else {
    std::filesystem::rename(temporary, file, error);
  }
  if (!error) return;
  const std::string reason = error.message();
  std::filesystem::remove(temporary, error);
  throw MachineError(fmt::format("{} cannot be written: {}", file.string(), reason));
}

}  // namespace tilewright::tools
