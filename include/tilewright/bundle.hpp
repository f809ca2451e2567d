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

// One kernel of a bundle, as it can be asked for.
struct BundleKernel {
  Answer answer;  // as the look-up said when the bundle was made
  DeviceKind device_kind;
  std::string device_name;   // that it was made for; empty: any of its architecture
  std::string architecture;  // "sm_90", "sm_90a", "host"
};

// What to launch from a bundle.
struct BundleRequest {
  std::string operation = {};  // "gemm", or "gemm/blocked" for that implementation alone
  Settings problem = {};       // dimensions, choices, snippets by name or label; else defaults
  DeviceSelector device = {};
  Require require = Require::any;  // a weaker answer is NothingFound
};

// Tuned kernels in one file, made by `tilewright bundle`: launched with neither compiler nor
// database nor definitions, on GPUs of the compute capability that they were compiled for. A
// problem that it holds gets the kernel that was made for it; of several devices' kernels that of
// the same device, else the first. Another problem gets what a Catalog would answer that has the
// bundle's results, as far as code for it is there: sizes that a kernel takes at launch may be any,
// what is compiled in must be equal. What does not load here makes way for the next of these
// (Kernel::prepare). Safe to use from many threads; kernels may outlive it.
class Bundle {
 public:
  // Reads and checks the whole file. Throws InputError: cannot be read, not a bundle, newer,
  // truncated, damaged.
  explicit Bundle(const std::filesystem::path& file);
  Bundle(Bundle&&) noexcept;
  Bundle& operator=(Bundle&&) noexcept;
  ~Bundle();

  // Software that made it: "0.1.0".
  const std::string& tool() const;
  // The problems that it holds.
  std::vector<BundleKernel> kernels() const;

  // Equal requests get kernels that share one load. Throws InputError, one sentence that begins
  // with the file's name, where it neither holds the problem nor has code for it on this device,
  // NothingFound where what it has is weaker than the request requires; MachineError for a device
  // that is not there.
  Kernel kernel(const BundleRequest& request) const;

  // As Runtime::trim().
  std::size_t trim() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
