#pragma once

#include <filesystem>

#include "tuner/backend/descriptor.hpp"

namespace tilewright {

// A new folder below another one. The destructor removes it with its contents. A process that is
// killed leaves its folders behind, so the first folder of a process removes those of dead ones.
class ScratchFolder {
 public:
  // Throws MachineError.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor lock_;  // the open folder; the lock on it lasts as long as this process
};

// Removes this user's scratch folders below `parent` that no living process has. A living process
// holds a lock on each of its own, which other containers see too. Follows no links, and ignores
// errors.
void remove_abandoned(const std::filesystem::path& parent) noexcept;

}  // namespace tilewright
