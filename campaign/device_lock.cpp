#include "campaign/device_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>

#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenTries{100};
constexpr std::size_t kLongestEntry = 300;
constexpr mode_t kForEveryone = 0666;
constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW;

[[noreturn]] void throw_no_lock(const fs::path& file, int error) {
  throw MachineError(fmt::format("cannot lock the device with {}: {}", file.string(),
                                 std::generic_category().message(error)));
}

// One folder for all users. Everyone can create files in it; nobody can remove those of others.
void make_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) == 0)
    chmod(folder.c_str(), S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX);
}

// O_CREAT comes last, because Linux may refuse it for a file of another user in such a folder.
Descriptor open_or_create(const fs::path& file) {
  for (const int attempt : {O_RDWR, O_RDONLY, O_RDWR | O_CREAT | O_EXCL, O_RDWR}) {
    Descriptor opened(open(file.c_str(), attempt | kFlags, kForEveryone));
    if (opened.get() < 0) continue;
    if ((attempt & O_CREAT) != 0) fchmod(opened.get(), kForEveryone);  // regardless of the umask
    return opened;
  }
  throw_no_lock(file, errno);
}

// At most kLongestEntry bytes of the file, which other users may have written.
std::string read_entry(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(kLongestEntry, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

std::string own_command() {
  std::string command = read_entry("/proc/self/cmdline");
  if (command.ends_with('\0')) command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  if (const std::size_t folder = command.substr(0, command.find(' ')).rfind('/');
      folder != std::string::npos)
    command.erase(0, folder + 1);
  return visible_line(command);
}

// The same file for everyone who measures on this device.
fs::path lock_file(const fs::path& folder, const DeviceReport& device) {
  const fs::path place = folder.empty() ? fs::path(kLockFolder) : folder;
  return place / (device.uuid.empty() ? device.id : device.uuid);
}

// The entry is only for messages. A file that cannot be written still locks.
void sign(const Descriptor& file) {
  const std::time_t now = std::time(nullptr);
  const std::string text = fmt::format("process {} since {:%H:%M:%S} ({})\n", getpid(),
                                       fmt::localtime(now), own_command());
  if (ftruncate(file.get(), 0) != 0) return;
  [[maybe_unused]] const auto written = pwrite(file.get(), text.data(), text.size(), 0);
}

// Nothing if another process has it.
std::optional<Descriptor> try_lock(const fs::path& file) {
  make_folder(file.parent_path());
  Descriptor opened = open_or_create(file);
  if (flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) return std::nullopt;
    throw_no_lock(file, errno);
  }
  sign(opened);
  return opened;
}

// The holder's entry: "process 12 since 14:03:20 (tilewright sweep …)".
std::string holder_of(const fs::path& file) {
  const std::string entry = read_entry(file);
  const std::string line = entry.substr(0, entry.find('\n'));
  return line.empty() ? "another process" : visible_line(line);
}

}  // namespace

DeviceClaim claim_device(const fs::path& folder, const DeviceReport& device,
                         const std::atomic<bool>& stop,
                         const std::function<void(const std::string&)>& on_wait) {
  const fs::path file = lock_file(folder, device);
  DeviceClaim claim;
  while (!stop) {
    claim.lock = try_lock(file);
    if (claim.lock) break;
    if (!claim.waited) on_wait(fmt::format("{} is measured by {}", device.id, holder_of(file)));
    claim.waited = true;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return claim;
}

}  // namespace tilewright
