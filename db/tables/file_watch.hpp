#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "tilewright/error.hpp"

namespace tilewright {

// Checks that a path still leads to the file that was opened there. If the file was deleted, SQLite
// would continue to write to it, and would put its journal beside the file that replaced it.
class FileWatch {
 public:
  // Remembers the present file. `file` is also its name in messages.
  explicit FileWatch(const std::filesystem::path& file)
      : name_(file.string()), absolute_(std::filesystem::absolute(file)), last_(status()) {}

  // Throws MachineError if it was deleted, replaced or emptied since.
  void require_same() {
    const struct stat now = status();
    if (now.st_dev != last_.st_dev || now.st_ino != last_.st_ino)
      throw MachineError(fmt::format("database '{}' was replaced while in use", name_));
    if (last_.st_size > 0 && now.st_size == 0)
      throw MachineError(fmt::format("database '{}' was emptied while in use", name_));
    last_ = now;
  }

 private:
  struct stat status() const {
    struct stat status {};
    if (::stat(absolute_.c_str(), &status) == 0) return status;
    if (errno == ENOENT || errno == ENOTDIR)
      throw MachineError(fmt::format("database '{}' was deleted while in use", name_));
    throw MachineError(
        fmt::format("database '{}' cannot be reached: {}", name_, std::strerror(errno)));
  }

  std::string name_;
  std::filesystem::path absolute_;
  struct stat last_;
};

}  // namespace tilewright
