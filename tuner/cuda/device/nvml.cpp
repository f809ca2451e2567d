#include "tuner/cuda/device/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "tilewright/error.hpp"

namespace tilewright::cuda {
namespace {

using Init = int (*)();
using Shutdown = int (*)();
using ErrorString = const char* (*)(int result);
using SystemGetDriverVersion = int (*)(char* version, unsigned int length);

}  // namespace

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) throw MachineError("there is no NVML (libnvidia-ml.so.1)");
  const auto init = find<Init>("nvmlInit_v2");
  if (init == nullptr) throw MachineError("NVML is too old");
  if (const int result = init(); result != kNvmlSuccess)
    throw MachineError(fmt::format("NVML cannot start: {}", error_text(result)));
}

Nvml::~Nvml() {
  if (const auto shutdown = find<Shutdown>("nvmlShutdown")) shutdown();
}

std::string Nvml::error_text(int result) const {
  const auto text = find<ErrorString>("nvmlErrorString");
  return text == nullptr ? fmt::format("error {}", result) : text(result);
}

void* Nvml::address(const char* name) const {
  return dlsym(library_.get(), name);
}

void Nvml::CloseLibrary::operator()(void* library) const noexcept {
  dlclose(library);
}

std::string nvml_driver_version() {
  try {
    const Nvml nvml;
    const auto version = nvml.find<SystemGetDriverVersion>("nvmlSystemGetDriverVersion");
    std::array<char, 96> text = {};
    if (version == nullptr ||
        version(text.data(), static_cast<unsigned int>(text.size() - 1)) != kNvmlSuccess)
      return "";
    return text.data();
  } catch (const MachineError&) {
    return "";
  }
}

}  // namespace tilewright::cuda
