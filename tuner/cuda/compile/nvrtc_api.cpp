#include "tuner/cuda/compile/nvrtc_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "definition/text/errors.hpp"
#include "tuner/backend/backend.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

constexpr std::array kUsualFolders = {TILEWRIGHT_NVRTC_FOLDER, "/usr/local/cuda/lib64",
                                      "/usr/local/cuda/targets/x86_64-linux/lib"};

// One name to open, and how.
struct Place {
  std::string name;
  int only_loaded = 0;  // or RTLD_NOLOAD
};

// In the order of the search. For a bare name the dynamic linker looks at what is loaded, and then
// searches its own path.
using Places = std::vector<Place>;

void add(Places& places, const fs::path& folder, int only_loaded = 0) {
  for (const char* name : kNames) places.push_back({(folder / name).string(), only_loaded});
}

// Of the library that has the function; empty if the linker does not say it.
fs::path folder_of(const void* function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path();
}

void add_loaders(Places& places) {
  add(places, {}, RTLD_NOLOAD);
  // Beside the program or the library that contains this code.
  const fs::path own = folder_of(reinterpret_cast<const void*>(&add_loaders));
  for (const fs::path& folder : nvidia_wheels(own)) add(places, folder);
  add(places, {});
}

// The folders, once each.
std::string folders_in(const Places& places) {
  std::vector<std::string> folders;
  for (const Place& place : places) {
    const std::string folder = fs::path(place.name).parent_path().string();
    if (!folder.empty() && std::ranges::find(folders, folder) == folders.end())
      folders.push_back(folder);
  }
  return fmt::format("{}", fmt::join(folders, ", "));
}

Places places_to_look(const std::vector<fs::path>& folders) {
  Places places;
  for (const fs::path& folder : folders) {
    if (folder.empty())
      add_loaders(places);
    else
      add(places, folder);
  }
  if (std::ranges::find(folders, fs::path()) == folders.end()) add_loaders(places);
  for (const std::string_view folder : kUsualFolders)
    if (!folder.empty()) add(places, folder);
  return places;
}

// NVRTC opens the library of its built-in headers by its bare name. NVIDIA's wheels have no
// RUNPATH, so the linker would not find it beside NVRTC. It finds a library that is already loaded.
void load_builtins(const fs::path& folder, int major, int minor) {
  const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* open_library(const Places& places) {
  for (const Place& place : places)
    if (void* library = dlopen(place.name.c_str(), RTLD_NOW | RTLD_LOCAL | place.only_loaded))
      return library;
  throw broken_machine(
      "NVRTC, CUDA's run-time compiler, was not found: install a CUDA toolkit 12.8 "
      "or newer, or NVIDIA's wheels with pip install 'tilewright[cuda13]' or "
      "'tilewright[cuda12]'; looked for {} where the loader looks and in {}",
      fmt::join(kNames, ", "), folders_in(places));
}

}  // namespace

NvrtcApi::Address NvrtcApi::function(const char* name) const {
  void* const address = dlsym(library, name);
  if (address == nullptr) throw broken_machine("NVRTC has no function {}", name);
  return {address};
}

NvrtcApi::NvrtcApi(const std::vector<std::filesystem::path>& searched)
    : library(open_library(places_to_look(searched))) {
  if (version(&major, &minor) != NVRTC_SUCCESS)
    throw MachineError("NVRTC does not report its version");
  if (auto own = folder_of(reinterpret_cast<void*>(version)); own.has_parent_path()) {
    load_builtins(own, major, minor);
    folders.push_back(own);
  }
  folders.insert(folders.end(), searched.begin(), searched.end());
  folders.insert(folders.end(), kUsualFolders.begin(), kUsualFolders.end());
  std::erase(folders, fs::path());
}

}  // namespace tilewright::cuda
