#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "campaign/job/folder_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {

// Files in memory, on a file system that does what a test says.
class MemoryFiles final : public FolderFiles {
 public:
  // What becomes of a rename. late: it is done when the next one is asked for.
  enum class Fate { done, not_done, late };

  std::function<Fate(const std::string& from, const std::string& to)> fate_of_rename;
  // Called before each operation with its name and the file: what others do meanwhile.
  std::function<void(const std::string& operation, const std::string& file)> before;
  bool is_full = false;

  std::map<std::string, std::string> files;  // folders are not kept

  std::vector<std::string> names_in(const std::filesystem::path& folder) const override {
    tell("list", folder);
    std::vector<std::string> names;
    const std::string begin = folder.string() + '/';
    for (auto file = files.lower_bound(begin); file != files.end(); ++file) {
      if (!file->first.starts_with(begin)) break;
      const std::string rest = file->first.substr(begin.size());
      std::string name = rest.substr(0, rest.find('/'));
      if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    return names;
  }

  bool exists(const std::filesystem::path& file) const override {
    tell("look", file);
    return files.contains(file) || !names_below(file).empty();
  }

  std::string read(const std::filesystem::path& file) const override {
    tell("read", file);
    const auto found = files.find(file);
    if (found == files.end()) throw InputError(file.string() + ": there is no such file");
    return found->second;
  }

  void make_folder(const std::filesystem::path&) override {}

  void make_empty_file(const std::filesystem::path& file) override { write(file, ""); }

  void write(const std::filesystem::path& file, const std::string& content) override {
    tell("write", file);
    if (is_full) throw MachineError(file.string() + " cannot be written: No space left on device");
    files[file] = content;
  }

  void rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    tell("rename", from);
    const auto late = std::move(late_);
    late_ = {};
    switch (fate_of_rename ? fate_of_rename(from, to) : Fate::done) {
      case Fate::done:
        move(from, to);
        break;
      case Fate::not_done:
        break;
      case Fate::late:
        late_ = [this, from, to] { move(from, to); };
        break;
    }
    if (late) late();
  }

  void remove(const std::filesystem::path& file) override {
    tell("remove", file);
    files.erase(file);
  }

 private:
  void tell(const std::string& operation, const std::filesystem::path& file) const {
    if (const auto call = before) call(operation, file);  // a copy, because it may end itself
  }

  std::vector<std::string> names_below(const std::filesystem::path& folder) const {
    std::vector<std::string> names;
    const std::string begin = folder.string() + '/';
    for (auto file = files.lower_bound(begin);
         file != files.end() && file->first.starts_with(begin); ++file)
      names.push_back(file->first);
    return names;
  }

  void move(const std::string& from, const std::string& to) {
    if (auto file = files.extract(from)) {
      files.erase(to);
      file.key() = to;
      files.insert(std::move(file));
      return;
    }
    for (const std::string& name : names_below(from)) {
      auto file = files.extract(name);
      file.key() = to + name.substr(from.size());
      files.insert(std::move(file));
    }
  }

  std::function<void()> late_;
};

}  // namespace tilewright::test
