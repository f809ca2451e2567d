#pragma once

#include <cstdint>
#include <filesystem>

namespace tilewright {

// Checks that a path still leads to the file that was opened there. If the file was deleted, SQLite
// would continue to write to it, and would put its journal beside the file that replaced it.
class FileWatch {
 public:
  // Remembers the present file. `file` is also its name in messages.
  explicit FileWatch(std::filesystem::path file);

  // Throws MachineError if it was deleted, replaced or emptied since.
  void require_same();

 private:
  std::filesystem::path file_;
  std::filesystem::path absolute_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  bool had_content_ = false;
};

}  // namespace tilewright
