#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"

namespace tilewright::host {

// Options of a manifest that mean the same here, as a host compiler takes them. Options that only a
// GPU compiler has are ignored.
std::vector<std::string> understood_options(const std::vector<std::string>& options);

// Compiles CUDA kernels for the CPU with the system's C++ compiler and the shim
// (tilewright_host.h). The code is a shared library. If tilewright itself was built with
// sanitizers, kernels are compiled with them too.
class HostCompiler final : public Compiler {
 public:
  // `program` is g++ or clang++, or empty if there is none; temporary files are in `scratch`.
  // Throws MachineError if there is no compiler or it does not run.
  HostCompiler(std::filesystem::path program, std::filesystem::path scratch);

  // If something stops the compiler, it is run once more. Throws MachineError if a fault of the
  // machine stops it twice, such as a full disk. A crash or too little memory, twice, is a result.
  CompileResult compile(const CompileRequest& request) override;
  // What the compiler says about itself, and the flags: "g++ (Debian …) 12.2.0 -O2 …".
  std::string version() const override { return version_; }

  // All flags that come before input and output.
  std::vector<std::string> flags_for(const CompileRequest& request) const;

 private:
  CompileResult compile_unit(const CompileRequest& unit);

  std::filesystem::path program_;
  std::filesystem::path scratch_;
  std::vector<std::string> flags_;
  std::string version_;
};

}  // namespace tilewright::host
