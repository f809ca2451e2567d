#pragma once

#include <filesystem>

#include "tuner/worker/process.hpp"

namespace tilewright {

// A database on a disk of this machine, for one process at a time. It is where a member of a job
// keeps the trials of the unit that it measures. A process that is killed leaves its slot behind.
// The next one that is started gets it, and so knows that the other is dead.
class LocalSlot {
 public:
  // The first slot in the folder that no process of this machine has. Makes the folder. Throws
  // MachineError.
  explicit LocalSlot(const std::filesystem::path& folder);

  const std::filesystem::path& database() const { return database_; }
  // Removes the database, and the folder if it is the last. Call it when nothing uses the database.
  void discard();

 private:
  bool try_lock(const std::filesystem::path& file);

  std::filesystem::path lock_file_;
  std::filesystem::path database_;
  Descriptor lock_;
};

}  // namespace tilewright
