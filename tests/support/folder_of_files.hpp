#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace tilewright {

// A new folder for one test. The destructor removes it with its contents.
class FolderOfFiles {
 public:
  FolderOfFiles() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("tilewright-files-" + std::to_string(getpid()) + '-' + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~FolderOfFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FolderOfFiles(const FolderOfFiles&) = delete;
  FolderOfFiles& operator=(const FolderOfFiles&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewright
