#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

// What a job does with the files of its folder, which may be on a network file system. Tests put
// others in its place: full ones, and ones that report failures of what they have done. Calls may
// come from several threads. They throw MachineError that names the file.
class FolderFiles {
 public:
  virtual ~FolderFiles() = default;

  // The names in a folder, sorted, without those of files that are still being written.
  virtual std::vector<std::string> names_in(const std::filesystem::path& folder) const = 0;
  virtual bool exists(const std::filesystem::path& file) const = 0;
  // The whole file; nothing that is there is an InputError.
  virtual std::string read(const std::filesystem::path& file) const = 0;

  // With the folders above it.
  virtual void make_folder(const std::filesystem::path& folder) = 0;
  virtual void make_empty_file(const std::filesystem::path& file) = 0;
  // The whole content is on the disk when it returns. Otherwise the file is as it was.
  virtual void write(const std::filesystem::path& file, const std::string& content) = 0;
  // Returns nothing, because a network file system may say that it failed when it was done:
  // exists() tells.
  virtual void rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // Does nothing if there is no such file.
  virtual void remove(const std::filesystem::path& file) = 0;
};

std::unique_ptr<FolderFiles> files_on_disk();

}  // namespace tilewright
