#pragma once

#include <filesystem>

#include "tuner/worker/process.hpp"

namespace tilewright {

// A database on a disk of this machine, for one process at a time. It is where a member of a job
// keeps the trials of the unit that it measures. A process that is killed leaves its slot behind.
// The next one that is started gets it, and so knows that the other is dead.
class LocalSlot {
 public:
  // The first slot in the folder that no process of this machine has. A database without its lock
  // file is none, because no member made it. Makes the folder for this user alone. Throws
  // MachineError, also if the folder is a link, another user's, or one that everybody may write to:
  // there, names may lead elsewhere, and trials may be forged.
  explicit LocalSlot(const std::filesystem::path& folder);

  const std::filesystem::path& database() const { return database_; }
  // Removes the database, and the folder if it is the last. Call it when nothing uses the database.
  void discard();

 private:
  bool try_lock();

  std::filesystem::path lock_file_;
  std::filesystem::path database_;
  Descriptor lock_;
};

}  // namespace tilewright
