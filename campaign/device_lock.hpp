#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tuner/backend/device_report.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// The right to measure on a device. Only one process of this machine has it at a time, whichever
// user runs it. It is a kernel lock on an empty file that is never written to or removed. Closing
// the file releases it, and so does the end of the process.
struct DeviceClaim {
  std::optional<Descriptor> lock;  // empty: `stop` was set first
  bool waited = false;
  std::string remark;  // why locks of other users are not seen; empty: they are
};

// Where the locks of this host's devices are, whatever folder a process has for temporary files.
inline constexpr const char* kLockFolder = "/tmp/tilewright-locks";

// Waits until no other process measures on the device. If it must wait, it calls `on_wait` once
// with a sentence. An exception from `on_wait` ends the wait. Processes that name another folder
// than kLockFolder, as tests do, do not wait for those that use it.
//
// Any user may have made the folder and what is in it. Links are not followed, what is not a
// regular file with one name is refused without waiting for it, and a lock counts only if its file
// has the name then. So another user can hold the lock, and whoever made the folder can remove it;
// but no file outside the folder is opened, made or changed. If `folder` is empty and
// kLockFolder cannot be used, a folder of this user takes its place:
// /run/user/UID/tilewright-locks, else kLockFolder-UID. Throws MachineError if none can be used, or
// a folder that was named.
DeviceClaim claim_device(const std::filesystem::path& folder, const DeviceReport& device,
                         const std::atomic<bool>& stop,
                         const std::function<void(const std::string&)>& on_wait);

}  // namespace tilewright
