#include "tuner/toolchain/scratch_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScratchPrefix = "tilewright-scratch-";

[[noreturn]] void throw_no_folder(const fs::path& parent, int error) {
  throw MachineError(fmt::format(
      "cannot make a folder for temporary files in {}: {}; name another place in TMPDIR, or in "
      "`scratch` of a request",
      parent.string(), std::generic_category().message(error)));
}

fs::path make_folder(const fs::path& parent) {
  std::string name = (parent / (std::string(kScratchPrefix) + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) throw_no_folder(parent, errno);
  return name;
}

// Not open if it is no folder.
Descriptor open_folder(const fs::path& folder) {
  return Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool try_lock(const Descriptor& folder) {
  return flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

struct stat status_of(const Descriptor& folder) {
  struct stat status {};
  fstat(folder.get(), &status);
  return status;
}

void remove_if_abandoned(const fs::path& path) {
  const Descriptor folder = open_folder(path);
  if (folder.get() < 0) return;
  std::error_code ignored;
  if (status_of(folder).st_uid == geteuid() && try_lock(folder)) fs::remove_all(path, ignored);
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent) {
  [[maybe_unused]] static const bool is_swept = (remove_abandoned(parent), true);
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    path_ = make_folder(parent);
    lock_ = open_folder(path_);
    if (lock_.get() < 0 && errno != ENOENT) {
      const int error = errno;
      rmdir(path_.c_str());
      throw_no_folder(parent, error);
    }
    // Another process may have taken it for an abandoned one before the lock was held.
    const bool is_lost = lock_.get() < 0 || (!try_lock(lock_) && errno == EWOULDBLOCK);
    if (!is_lost && status_of(lock_).st_nlink > 0) return;
    lock_.close();
  }
  throw_no_folder(parent, EBUSY);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void remove_abandoned(const fs::path& parent) noexcept {
  try {
    std::error_code error;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().filename().string().starts_with(kScratchPrefix))
        remove_if_abandoned(entry->path());
  } catch (const std::exception&) {  // no memory for a path
  }
}

}  // namespace tilewright
