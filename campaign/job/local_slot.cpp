#include "campaign/job/local_slot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "definition/text/errors.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSlots = 4096;
constexpr mode_t kForMe = 0600;

[[noreturn]] void fail(const fs::path& file,
                       const std::string& why = std::generic_category().message(errno)) {
  throw broken_machine("cannot use {} for trials: {}; name a folder of your own with --local",
                       file.string(), why);
}

void make_for_this_user(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail(folder);
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts = {};
  if (opened.get() < 0 || fstat(opened.get(), &facts) != 0) fail(folder);
  if (facts.st_uid != geteuid() || (facts.st_mode & S_IWOTH) != 0)
    fail(folder, "it is another user's, or everybody may write to it");
}

}  // namespace

LocalSlot::LocalSlot(const fs::path& folder) {
  make_for_this_user(folder);
  for (int slot = 0; slot < kMostSlots; ++slot) {
    lock_file_ = folder / fmt::format("{}.lock", slot);
    database_ = folder / fmt::format("{}.db", slot);
    if (try_lock()) return;
  }
  throw broken_machine("{} processes use {}", kMostSlots, folder.string());
}

bool LocalSlot::try_lock() {
  std::error_code error;
  if (!fs::exists(lock_file_, error) && fs::exists(database_, error)) return false;
  lock_ = Descriptor(open(lock_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForMe));
  if (lock_.get() < 0) fail(lock_file_);
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return is_file_at(AT_FDCWD, lock_file_, lock_);
  if (errno != EWOULDBLOCK && errno != EINTR) fail(lock_file_);
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
