#include "campaign/device_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenTries{100};
constexpr std::size_t kLongestCommand = 300;
constexpr mode_t kForEveryone = S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX;
constexpr mode_t kReadable = S_IRUSR | S_IRGRP | S_IROTH;

[[noreturn]] void throw_no_lock(const fs::path& file, const std::string& why) {
  throw broken_machine("cannot lock the device with {}: {}", file.string(), why);
}

[[noreturn]] void throw_no_lock(const fs::path& file, int error) {
  throw_no_lock(file, std::generic_category().message(error));
}

struct stat facts_of(const Descriptor& opened) {
  struct stat facts {};
  fstat(opened.get(), &facts);
  return facts;
}

// One folder for all users. Everyone can create files in it; nobody can remove those of others.
Descriptor open_folder(const fs::path& folder) {
  const int made = mkdir(folder.c_str(), kForEveryone) == 0 ? 0 : errno;
  Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (opened.get() < 0 && (errno == ENOTDIR || errno == ELOOP))
    throw_no_lock(folder, "it is a link, or no folder");
  if (opened.get() < 0) throw_no_lock(folder, errno == ENOENT ? made : errno);
  if (made == 0) fchmod(opened.get(), kForEveryone);  // regardless of the umask
  const mode_t mode = facts_of(opened).st_mode;
  if ((mode & S_IWOTH) != 0 && (mode & S_ISVTX) == 0)
    throw_no_lock(folder, "everybody may remove the locks of others in it");
  return opened;
}

struct LockFile {
  Descriptor folder;
  Descriptor file;
};

// Makes what is missing.
LockFile open_or_create(const fs::path& path) {
  const std::string name = path.filename();
  LockFile lock{open_folder(path.parent_path()), {}};
  int error = ENOENT;
  for (const int attempt : {O_RDONLY, O_RDONLY | O_CREAT | O_EXCL, O_RDONLY}) {
    lock.file = Descriptor(openat(lock.folder.get(), name.c_str(),
                                  attempt | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kReadable));
    if (lock.file.get() < 0) {
      if (errno != EEXIST && errno != ENOENT) error = errno;
      continue;
    }
    if ((attempt & O_CREAT) != 0) fchmod(lock.file.get(), kReadable);
    const struct stat facts = facts_of(lock.file);
    if (!S_ISREG(facts.st_mode) || facts.st_nlink > 1)
      throw_no_lock(path, "it is not a regular file with one name");
    return lock;
  }
  if (error == ELOOP) throw_no_lock(path, "it is a link");
  throw_no_lock(path, error);
}

// Nothing if another process has it.
std::optional<Descriptor> try_lock(const fs::path& path) {
  constexpr int kMostTries = 10;
  for (int i = 0; i < kMostTries; ++i) {
    LockFile lock = open_or_create(path);
    if (flock(lock.file.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_file_at(lock.folder.get(), path.filename(), lock.file)) return std::move(lock.file);
    } else if (errno == EWOULDBLOCK || errno == EINTR) {
      return std::nullopt;
    } else {
      throw_no_lock(path, errno);
    }
  }
  return std::nullopt;
}

// Tries the first of the folders where a file of this name can be locked, and returns it.
fs::path try_folders(const fs::path& named, const std::string& name, DeviceClaim& claim) {
  std::vector<fs::path> folders = {named};
  if (named.empty())
    folders = {kLockFolder, fmt::format("/run/user/{}/tilewright-locks", geteuid()),
               fmt::format("{}-{}", kLockFolder, geteuid())};
  std::string why;
  for (const fs::path& folder : folders) {
    try {
      fs::path file = folder / name;
      claim.lock = try_lock(file);
      if (!why.empty())
        claim.remark = fmt::format("{}; {} is used, so locks of other users are not seen", why,
                                   folder.string());
      return file;
    } catch (const MachineError& error) {
      if (why.empty()) why = error.what();
    }
  }
  if (named.empty()) why += "; this user needs a folder that it can write to in /tmp or /run/user";
  throw MachineError(why);
}

// At most kLongestCommand bytes, which the process itself may have chosen.
std::string command_of(const std::string& process) {
  std::string command(kLongestCommand, '\0');
  std::ifstream stream(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  stream.read(command.data(), static_cast<std::streamsize>(command.size()));
  command.resize(static_cast<std::size_t>(stream.gcount()));
  if (command.ends_with('\0')) command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  if (const std::size_t folder = command.substr(0, command.find(' ')).rfind('/');
      folder != std::string::npos)
    command.erase(0, folder + 1);
  return visible_line(command);
}

// As the kernel has it: "process 12 (tilewright sweep …)". It shows no process of another
// container.
std::string holder_of(const fs::path& path) {
  const struct stat facts = facts_of(open_or_create(path).file);
  const std::string file =
      fmt::format("{:02x}:{:02x}:{}", major(facts.st_dev), minor(facts.st_dev), facts.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, process, place;
    words >> number >> kind >> mode >> access >> process >> place;
    if (kind != "FLOCK" || place != file) continue;
    const std::string command = command_of(process);
    return command.empty() ? "process " + process
                           : fmt::format("process {} ({})", process, command);
  }
  return "another process";
}

}  // namespace

DeviceClaim claim_device(const fs::path& folder, const DeviceReport& device,
                         const std::atomic<bool>& stop,
                         const std::function<void(const std::string&)>& on_wait) {
  DeviceClaim claim;
  if (stop) return claim;
  const fs::path file = try_folders(folder, device.uuid.empty() ? device.id : device.uuid, claim);
  while (!claim.lock && !stop) {
    if (!claim.waited) on_wait(fmt::format("{} is measured by {}", device.id, holder_of(file)));
    claim.waited = true;
    std::this_thread::sleep_for(kBetweenTries);
    if (!stop) claim.lock = try_lock(file);
  }
  return claim;
}

}  // namespace tilewright
