#include "campaign/job/local_slot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSlots = 4096;
constexpr mode_t kForMe = 0600;

[[noreturn]] void fail(const fs::path& file, const std::error_code& error) {
  throw MachineError(fmt::format("cannot use {} for trials: {}", file.string(), error.message()));
}

// Another process may have removed it since it was opened.
bool is_still_there(const Descriptor& opened, const fs::path& file) {
  struct stat here = {};
  struct stat there = {};
  return fstat(opened.get(), &here) == 0 && stat(file.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

}  // namespace

LocalSlot::LocalSlot(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(folder, error);
  for (int slot = 0; slot < kMostSlots; ++slot) {
    lock_file_ = folder / fmt::format("{}.lock", slot);
    database_ = folder / fmt::format("{}.db", slot);
    if (try_lock(lock_file_)) return;
  }
  throw MachineError(fmt::format("{} processes use {}", kMostSlots, folder.string()));
}

bool LocalSlot::try_lock(const fs::path& file) {
  lock_ = Descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForMe));
  if (lock_.get() < 0) fail(file, {errno, std::generic_category()});
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return is_still_there(lock_, file);
  if (errno != EWOULDBLOCK && errno != EINTR) fail(file, {errno, std::generic_category()});
  return false;
}

void LocalSlot::discard() {
  std::error_code ignored;
  fs::remove(database_, ignored);
  fs::remove(lock_file_, ignored);  // while it is locked
  lock_.close();
  fs::remove(lock_file_.parent_path(), ignored);  // fails if it is not empty
}

}  // namespace tilewright
