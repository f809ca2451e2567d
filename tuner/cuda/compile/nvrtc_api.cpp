#include "tuner/cuda/compile/nvrtc_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string>

#include "tilewright/error.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::array<const char*, 3> kNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

constexpr std::array kUsualFolders = {TILEWRIGHT_NVRTC_FOLDER, "/usr/local/cuda/lib64",
                                      "/usr/local/cuda/targets/x86_64-linux/lib"};

// In the order of the search. For the bare names the dynamic linker searches its own path.
std::vector<std::string> places_to_look(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> places;
  for (const auto& folder : folders)
    for (const char* name : kNames) places.push_back((folder / name).string());
  for (const char* name : kNames) places.emplace_back(name);
  for (const char* folder : kUsualFolders)
    for (const char* name : kNames) places.push_back(fmt::format("{}/{}", folder, name));
  return places;
}

// NVRTC opens the library of its built-in headers by its bare name. NVIDIA's wheels have no
// RUNPATH, so the linker would not find it beside NVRTC. It finds a library that is already loaded.
void load_builtins(const std::filesystem::path& nvrtc, int major, int minor) {
  if (!nvrtc.has_parent_path()) return;
  const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  dlopen((nvrtc.parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Of the library that has the function; empty if the linker does not say it.
std::filesystem::path folder_of(void* function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

template <class Function>
void find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw MachineError(fmt::format("NVRTC has no function {}", name));
}

}  // namespace

NvrtcApi::NvrtcApi(const std::vector<std::filesystem::path>& searched) {
  const std::vector<std::string> places = places_to_look(searched);
  std::string found;
  for (const std::string& place : places) {
    found = place;
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr)
    throw MachineError(fmt::format("NVRTC, CUDA's run-time compiler, was not found; tried {}",
                                   fmt::join(places, ", ")));
  find(library, error_string, "nvrtcGetErrorString");
  find(library, version, "nvrtcVersion");
  find(library, architecture_count, "nvrtcGetNumSupportedArchs");
  find(library, architectures, "nvrtcGetSupportedArchs");
  find(library, create, "nvrtcCreateProgram");
  find(library, destroy, "nvrtcDestroyProgram");
  find(library, compile, "nvrtcCompileProgram");
  find(library, cubin_size, "nvrtcGetCUBINSize");
  find(library, cubin, "nvrtcGetCUBIN");
  find(library, ptx_size, "nvrtcGetPTXSize");
  find(library, ptx, "nvrtcGetPTX");
  find(library, log_size, "nvrtcGetProgramLogSize");
  find(library, log, "nvrtcGetProgramLog");
  find(library, add_name, "nvrtcAddNameExpression");
  find(library, lowered_name, "nvrtcGetLoweredName");
  if (version(&major, &minor) != NVRTC_SUCCESS)
    throw MachineError("NVRTC does not report its version");
  load_builtins(found, major, minor);
  if (auto own = folder_of(reinterpret_cast<void*>(version)); !own.empty()) folders.push_back(own);
  folders.insert(folders.end(), searched.begin(), searched.end());
  folders.insert(folders.end(), kUsualFolders.begin(), kUsualFolders.end());
}

}  // namespace tilewright::cuda
