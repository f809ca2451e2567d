// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"

namespace tilewright::cuda {

struct NvrtcApi;

// NVRTC, loaded when the object is made: libnvrtc.so.13 or .12 from `folders`, then the
// dynamic linker's path, then /usr/local/cuda. Thread-safe after that.
class Nvrtc final : public Compiler {
 public:
  // Throws MachineError that lists where it looked.
  explicit Nvrtc(const std::vector<std::filesystem::path>& folders = {});
  ~Nvrtc() override;

  CompileResult compile(const CompileRequest& request) override;
  CompileResult compile_to_ptx(const CompileRequest& request) override;
  std::string version() const override;

  // As NVRTC lists them, ascending: 75, 80, …, 90, …
  std::vector<int> architectures() const;

 private:
  std::unique_ptr<const NvrtcApi> api_;
};

// The compute capability of "sm_90" or "sm_90a" (90). Throws InputError that lists the known
// ones; an `a` suffix is accepted from sm_90 on, `f` from sm_100 on.
int parse_architecture(const std::string& text, const std::vector<int>& known);

}  // namespace tilewright::cuda
