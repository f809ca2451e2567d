#include "tuner/cuda/compile/nvrtc_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "definition/text/errors.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

// NVRTC opens the library of its built-in headers by its bare name. NVIDIA's wheels have no
// RUNPATH, so the linker would not find it beside NVRTC. It finds a library that is already loaded.
void load_builtins(const fs::path& folder, int major, int minor) {
  const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

SharedLibrary open_library(const std::vector<fs::path>& searched) try {
  return {{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, searched};
} catch (const LibraryError& error) {
  throw broken_machine(
      "NVRTC, CUDA's run-time compiler, is {}: install a CUDA toolkit 12.8 or newer, or NVIDIA's "
      "wheels with pip install 'tilewright[cuda13]' or 'tilewright[cuda12]'",
      error.what());
}

}  // namespace

NvrtcApi::Address NvrtcApi::function(const char* name) const try {
  return {library.address(name)};
} catch (const LibraryError&) {
  throw broken_machine("NVRTC has no function {}", name);
}

NvrtcApi::NvrtcApi(const std::vector<std::filesystem::path>& searched)
    : library(open_library(searched)) {
  if (version(&major, &minor) != NVRTC_SUCCESS)
    throw MachineError("NVRTC does not report its version");
  if (auto own = library.folder_of("nvrtcVersion"); own.has_parent_path()) {
    load_builtins(own, major, minor);
    folders.push_back(own);
  }
  folders.insert(folders.end(), searched.begin(), searched.end());
  const std::vector<fs::path> usual = usual_library_folders();
  folders.insert(folders.end(), usual.begin(), usual.end());
  std::erase(folders, fs::path());
}

}  // namespace tilewright::cuda
