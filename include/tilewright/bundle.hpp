// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/catalog.hpp"
#include "tilewright/device_selector.hpp"
#include "tilewright/error.hpp"
#include "tilewright/kernel.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// One kernel of a bundle.
struct BundleKernel {
  Answer answer;  // of the look-up when the bundle was made
  DeviceKind device_kind;
  std::string device_name;   // the device it was made for; empty: any of its architecture
  std::string architecture;  // "sm_90", "sm_90a", "host"
};

// What to launch from a bundle.
struct BundleRequest {
  std::string operation = {};  // "gemm", or "gemm/blocked" for that implementation alone
  Settings problem = {};       // dimensions, choices, snippets by name or label; others: defaults
  DeviceSelector device = {};
  Require require = Require::any;  // kernel() throws NothingFound for a weaker answer
  Inputs inputs = Inputs::any;     // as in KernelRequest
};

// Tuned kernels in one file, made by `tilewright bundle`. They are launched without a compiler, a
// database or definitions, on GPUs of the compute capability that they were compiled for.
//
// A problem that the bundle holds gets the kernel that was made for it: the one of this device,
// else the first. Another problem gets what a Catalog with the bundle's results would answer, if
// the bundle has code for that. A kernel serves any size that it takes at launch; what is compiled
// in must be equal. If a kernel does not load here, the next of these serves (Kernel::prepare).
// Safe to use from many threads. Kernels may outlive the bundle.
//
// A bundle is native code: open only what comes from somebody you trust.
class Bundle {
 public:
  // Reads and checks the whole file. Throws InputError if it cannot be read, is not a bundle, is
  // truncated or damaged, was made by a newer version, or has a launch that no device can run.
  explicit Bundle(const std::filesystem::path& file);
  Bundle(Bundle&&) noexcept;
  Bundle& operator=(Bundle&&) noexcept;
  ~Bundle();

  // The version of tilewright that made it: "0.3.0".
  const std::string& tool() const;
  std::vector<BundleKernel> kernels() const;

  // Kernels of equal requests share one load. Throws InputError if the bundle has no code for the
  // problem on this device (one sentence that begins with the file's name), NothingFound if what
  // it has is weaker than the request requires, and MachineError if there is no such device.
  Kernel kernel(const BundleRequest& request) const;

  // As Runtime::describe(), by the definitions that the bundle was made with.
  std::string describe(const std::string& operation) const;

  // As Runtime::trim().
  std::size_t trim() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
