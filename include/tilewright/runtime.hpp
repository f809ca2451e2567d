// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/catalog.hpp"
#include "tilewright/device.hpp"
#include "tilewright/device_selector.hpp"
#include "tilewright/error.hpp"
#include "tilewright/kernel.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

// Tuned kernels, launched. docs/runtime.md shows it in use. Errors are of three types, in
// tilewright/error.hpp: InputError, what the caller gave; MachineError, the machine; LaunchError,
// a launch that was refused or faulted.
namespace tilewright {

struct RuntimeOptions {
  CatalogOptions catalog = {};                      // results and definitions
  std::vector<std::filesystem::path> bundles = {};  // files of `tilewright bundle`
  std::filesystem::path cache = {};  // folder of compiled code, shared by processes; empty: none
  std::vector<std::filesystem::path> toolkits = {};  // folders to look for NVRTC in, before others
  std::filesystem::path host_compiler = {};          // empty: c++, g++ or clang++ of /usr/bin
  std::filesystem::path scratch = "/tmp";            // for the host compiler's temporary files
};

// What to launch.
struct KernelRequest {
  std::string operation = {};  // "gemm", or "gemm/blocked" for that implementation alone
  Settings problem = {};       // dimensions, choices, snippets by name; else defaults
  DeviceSelector device = {};
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;         // a weaker answer is NothingFound
  // in_memory: where the best configuration takes an input by value, the same one with that input
  // read in device memory answers, on a rung no better than `portable`: nobody has measured it.
  Inputs inputs = Inputs::any;
};

// Kernels of one request that differ in some dimensions: each size has its own best configuration.
// Each is looked up once and remembered for as long as this lives. Safe to use from many threads at
// once; what is remembered is found by integers, without a lock.
class KernelsBySize {
 public:
  KernelsBySize(KernelsBySize&&) noexcept;
  KernelsBySize& operator=(KernelsBySize&&) noexcept;
  ~KernelsBySize();

  // The kernel for these values of the dimensions, in the order in which they were named. Throws as
  // Runtime::kernel does, std::invalid_argument for another number of values. Lives as long as
  // this.
  const Kernel& at(std::span<const std::int64_t> sizes) const;
  const Kernel& at(std::initializer_list<std::int64_t> sizes) const {
    return at(std::span(sizes.begin(), sizes.size()));
  }

 private:
  friend class Runtime;
  class State;
  explicit KernelsBySize(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Looks kernels up and makes them ready to launch; measures nothing. Safe to use from many threads
// at once. Kernels share what they need with it and may outlive it. Not to be carried across
// fork().
class Runtime {
 public:
  // Reads definitions and bundles; opens no database, device or compiler yet. Throws InputError for
  // definitions and bundles that cannot be used.
  explicit Runtime(RuntimeOptions options);
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;
  ~Runtime();

  // The best kernel on record for the request: of an override or an exact result, else of a bundle
  // that holds this problem for this device, else of a weaker rung. The first answer stands: equal
  // requests share one kernel until trim(), and results stored later change nothing of it. Nothing
  // is compiled or loaded yet. Throws InputError for a request that Catalog::look_up refuses,
  // NothingFound where nothing answers as strongly as it requires; MachineError for a device that
  // is not there.
  Kernel kernel(const KernelRequest& request) const;

  // The request with `dimensions` left open. Shares what it needs with the runtime and may outlive
  // it. Throws InputError for an unknown dimension or operation, MachineError as kernel().
  KernelsBySize resolve(KernelRequest request, std::vector<std::string> dimensions) const;

  // Forgets every kernel that nothing else holds, neither a copy of the Kernel nor a KernelsBySize,
  // Gemm or Convolution that has given it, and unloads its code: without this a runtime keeps every
  // kernel that it was asked for. Launches of those must be done, and no CUDA graph may launch them
  // again. Whoever asks for one anew gets what is the best by then. Returns how many there were.
  std::size_t trim() const;

  // What the selector means here. Throws MachineError.
  Device device(DeviceSelector selector) const;

  // The software there, for Question::environment; `compiler` is empty where there is none. Looks
  // for it when first asked, as does kernel() where there are results. Throws MachineError.
  Environment environment(DeviceSelector selector) const;

  class State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
