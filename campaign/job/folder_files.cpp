#include "campaign/job/folder_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "definition/text/errors.hpp"
#include "definition/text/text_file.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& file, const std::error_code& error) {
  throw broken_machine("cannot {} {}: {}", what, file.string(), error.message());
}

bool is_unfinished(const std::string& name) {
  return name.ends_with(".tmp");  // as replace_file() names them
}

class DiskFiles final : public FolderFiles {
 public:
  std::vector<std::string> names_in(const fs::path& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
      if (std::string name = entry->path().filename(); !is_unfinished(name))
        names.push_back(std::move(name));
    if (error) fail("list", folder, error);
    std::ranges::sort(names);
    return names;
  }

  bool exists(const fs::path& file) const override {
    std::error_code error;
    const bool is_there = fs::exists(file, error);
    if (error) fail("look at", file, error);
    return is_there;
  }

  std::string read(const fs::path& file) const override {
    return read_text_file(file, kResultsFile);
  }

  void make_folder(const fs::path& folder) override {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail("make the folder", folder, error);
  }

  void make_empty_file(const fs::path& file) override { replace_file(file, ""); }

  void write(const fs::path& file, const std::string& content) override {
    replace_file(file, content);
    const Descriptor written(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (written.get() < 0 || fsync(written.get()) != 0)
      fail("write", file, {errno, std::generic_category()});
  }

  void rename(const fs::path& from, const fs::path& to) override {
    std::error_code ignored;
    fs::rename(from, to, ignored);
  }

  void remove(const fs::path& file) override {
    std::error_code error;
    fs::remove(file, error);
    if (error) fail("remove", file, error);
  }
};

}  // namespace

std::unique_ptr<FolderFiles> files_on_disk() {
  return std::make_unique<DiskFiles>();
}

}  // namespace tilewright
