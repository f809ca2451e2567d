#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilewright/runtime.hpp"
#include "tuner/backend/backend.hpp"

namespace tilewright::test {

// What an application launches on.
struct LaunchBench {
  DeviceSelector device;
  RuntimeOptions options = {};  // compilers and the cache; no definitions
  Toolchain toolchain = {};     // for the reference and for kernels that fill
  // Memory of the device with these contents, aligned to 256 bytes, which lives as long as the
  // pointer.
  std::function<std::shared_ptr<void>(std::span<const std::uint8_t>)> memory_with;
  void* stream = nullptr;
  std::function<void()> wait = [] {};  // until the stream has done its work
};

// Launches all implementations of a manifest as an application does: from a Runtime that has the
// manifest, and from a Bundle. The problems are the defaults for the host device, and those with
// each label of each choice. The configurations are the one that a look-up gives, and the last one
// of the space. Inputs are filled and outputs are compared as in a sweep. Fails the test if
// something is wrong. Skips, with a line, what needs a newer device.
void prove_launches(const std::filesystem::path& manifest, const LaunchBench& bench);

// Makes a bundle of each of these for a device that need not be there, and opens it.
void prove_bundles(const std::filesystem::path& manifest, const RuntimeOptions& options,
                   const Device& device);

// Fails the test unless a runtime and the making of a bundle refuse every implementation, with a
// MachineError whose text contains `why`.
void prove_refused(const std::filesystem::path& manifest, const LaunchBench& bench,
                   const std::string& why);

}  // namespace tilewright::test
