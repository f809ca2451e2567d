#include "db/tables/file_watch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tilewright/error.hpp"

namespace tilewright {

namespace {

struct stat status_of(const std::filesystem::path& shown, const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR)
    throw MachineError(fmt::format("database '{}' was deleted while in use", shown.string()));
  throw MachineError(
      fmt::format("database '{}' cannot be reached: {}", shown.string(), std::strerror(errno)));
}

}  // namespace

FileWatch::FileWatch(std::filesystem::path file)
    : file_(std::move(file)), absolute_(std::filesystem::absolute(file_)) {
  const struct stat status = status_of(file_, absolute_);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  had_content_ = status.st_size > 0;
}

void FileWatch::require_same() {
  const struct stat status = status_of(file_, absolute_);
  if (status.st_dev != device_ || status.st_ino != inode_)
    throw MachineError(fmt::format("database '{}' was replaced while in use", file_.string()));
  if (had_content_ && status.st_size == 0)
    throw MachineError(fmt::format("database '{}' was emptied while in use", file_.string()));
  had_content_ = status.st_size > 0;
}

}  // namespace tilewright
