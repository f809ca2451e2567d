// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/backend/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace tilewright::cuda {
namespace {

// NVML's C interface, as far as it is used here: nvml.h is not part of every toolkit.
using Init = int (*)();
using Shutdown = int (*)();
using SystemGetDriverVersion = int (*)(char* version, unsigned int length);
constexpr int kNvmlSuccess = 0;

struct CloseLibrary {
  void operator()(void* library) const noexcept { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

template <class Function>
Function find(const Library& library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library.get(), name));
}

}  // namespace

std::string nvml_driver_version() {
  const Library library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
  if (!library) return "";
  const auto init = find<Init>(library, "nvmlInit_v2");
  const auto shutdown = find<Shutdown>(library, "nvmlShutdown");
  const auto version = find<SystemGetDriverVersion>(library, "nvmlSystemGetDriverVersion");
  if (init == nullptr || shutdown == nullptr || version == nullptr) return "";
  if (init() != kNvmlSuccess) return "";
  std::array<char, 96> text = {};
  const int result = version(text.data(), static_cast<unsigned int>(text.size() - 1));
  shutdown();
  return result == kNvmlSuccess ? std::string(text.data()) : "";
}

}  // namespace tilewright::cuda
