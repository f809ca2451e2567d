#include "tuner/cuda/libraries/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tuner/backend/backend.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

// One name to open, and how.
struct Place {
  std::string name;
  int only_loaded = 0;  // or RTLD_NOLOAD
};

fs::path folder_with(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path();
}

// In the order of the search. For a bare name the dynamic linker looks at what is loaded, and then
// searches its own path.
class Places {
 public:
  Places(const std::vector<const char*>& names, const std::vector<fs::path>& folders)
      : names_(names) {
    for (const fs::path& folder : folders) {
      if (folder.empty())
        add_loaders();
      else
        add(folder);
    }
    if (std::ranges::find(folders, fs::path()) == folders.end()) add_loaders();
    for (const fs::path& folder : usual_library_folders()) add(folder);
  }

  const std::vector<Place>& all() const { return all_; }

  // The folders, once each.
  std::string folders() const {
    std::vector<std::string> folders;
    for (const Place& place : all_) {
      const std::string folder = fs::path(place.name).parent_path().string();
      if (!folder.empty() && std::ranges::find(folders, folder) == folders.end())
        folders.push_back(folder);
    }
    return fmt::format("{}", fmt::join(folders, ", "));
  }

 private:
  void add(const fs::path& folder, int only_loaded = 0) {
    for (const char* name : names_) all_.push_back({(folder / name).string(), only_loaded});
  }

  void add_loaders() {
    add({}, RTLD_NOLOAD);
    // Beside the program or the library that contains this code.
    const fs::path own = folder_with(reinterpret_cast<const void*>(&usual_library_folders));
    for (const fs::path& folder : nvidia_wheels(own)) add(folder);
    add({});
  }

  const std::vector<const char*>& names_;
  std::vector<Place> all_;
};

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<const char*>& names,
                             const std::vector<fs::path>& searched) {
  const Places places(names, searched);
  std::string damaged;
  for (const Place& place : places.all()) {
    handle_ = dlopen(place.name.c_str(), RTLD_NOW | RTLD_LOCAL | place.only_loaded);
    name_ = place.name;
    if (handle_ != nullptr) return;
    std::error_code error;
    const char* const why = dlerror();
    if (damaged.empty() && why != nullptr && fs::exists(place.name, error))
      damaged = fmt::format("; it does not load: {}", why);
  }
  throw LibraryError(fmt::format("not present (looked for {} where the loader looks and in {}{})",
                                 fmt::join(names, ", "), places.folders(), damaged));
}

void* SharedLibrary::address(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (found == nullptr) throw LibraryError(fmt::format("{} has no function {}", name_, name));
  return found;
}

fs::path SharedLibrary::folder_of(const char* function) const {
  return folder_with(address(function));
}

std::vector<fs::path> usual_library_folders() {
  std::vector<fs::path> folders;
  for (const std::string_view folder :
       {std::string_view(TILEWRIGHT_NVRTC_FOLDER), std::string_view("/usr/local/cuda/lib64"),
        std::string_view("/usr/local/cuda/targets/x86_64-linux/lib")})
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

}  // namespace tilewright::cuda
