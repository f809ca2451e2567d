// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

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
  std::string device_kind;
  std::string device_name;   // that it was made for; empty: any of its architecture
  std::string architecture;  // "sm_90", "sm_90a", "host"
};

// What to launch from a bundle.
struct BundleRequest {
  std::string operation = {};  // "gemm", or "gemm/blocked" for that implementation alone
  Settings problem = {};       // dimensions, choices, snippets by name or label; else defaults
  DeviceSelector device = {};
};

// Tuned kernels in one file, made by `tilewright bundle`: launched with neither compiler nor
// database nor definitions. It serves exactly the problems that it holds, on GPUs of the compute
// capability that they were compiled for; of several devices' kernels for one problem that of the
// same device, else the first. Safe to use from many threads; kernels may outlive it.
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
  std::vector<BundleKernel> kernels() const;

  // Equal requests get kernels that share one load. Throws InputError where it holds no such
  // problem, or none for this device; MachineError for a device that is not there.
  Kernel kernel(const BundleRequest& request) const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
