#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/backend/backend.hpp"
#include "tuner/backend/compiler.hpp"

namespace tilewright::cuda {

// The compiler of a CUDA toolkit, for sources that NVRTC cannot take: those that include headers of
// the C++ library or Thrust. It needs the system's C++ compiler too.
class Nvcc {
 public:
  // Takes the first nvcc in these folders. Temporary files are in `scratch`.
  Nvcc(std::vector<std::filesystem::path> places, std::filesystem::path scratch);

  // Compiles to a cubin. Without nvcc, the result is `unsupported` and its log says where it was
  // searched for. Throws MachineError if the machine keeps the compiler from its work.
  CompileResult compile(const CompileRequest& request) const;
  CompileResult compile_to_ptx(const CompileRequest& request) const;

  // Changes if another nvcc is found, or if it is replaced. "no nvcc" if there is none.
  std::string identity() const;

 private:
  enum class Form { cubin, ptx };
  CompileResult compile_unit(const CompileRequest& request, Form form) const;

  std::filesystem::path program_;  // empty: not found
  std::filesystem::path scratch_;
  std::vector<std::filesystem::path> searched_;
};

// The folders in which nvcc may be: those beside the folders of libraries, that of the toolchain's
// own nvcc, and /usr/local/cuda/bin.
std::vector<std::filesystem::path> places_of_nvcc(const Toolchain& toolchain);

// The symbol of the kernel that a name expression such as "mine::reduce<256, float>" means, among
// those of the code: the only one of that name, or else the one with the same template arguments.
// Several or none if that is not certain.
std::vector<std::string> symbols_of_expression(const std::string& entry,
                                               const std::map<std::string, Resources>& kernels);

}  // namespace tilewright::cuda
