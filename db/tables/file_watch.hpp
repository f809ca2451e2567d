// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

namespace tilewright {

// Whether a path still leads to the file that was opened there. A connection goes on writing to a
// file that was deleted, and would put its journal beside the one that took its place.
class FileWatch {
 public:
  // The file as it is now; `file` is also its name in messages.
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
