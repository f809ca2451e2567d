#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <vector>

#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::cuda {

// The functions of NVRTC that we use.
struct NvrtcApi {
  SharedLibrary library;
  decltype(&nvrtcGetErrorString) error_string = function("nvrtcGetErrorString");
  decltype(&nvrtcVersion) version = function("nvrtcVersion");
  decltype(&nvrtcGetNumSupportedArchs) architecture_count = function("nvrtcGetNumSupportedArchs");
  decltype(&nvrtcGetSupportedArchs) architectures = function("nvrtcGetSupportedArchs");
  decltype(&nvrtcCreateProgram) create = function("nvrtcCreateProgram");
  decltype(&nvrtcDestroyProgram) destroy = function("nvrtcDestroyProgram");
  decltype(&nvrtcCompileProgram) compile = function("nvrtcCompileProgram");
  decltype(&nvrtcGetCUBINSize) cubin_size = function("nvrtcGetCUBINSize");
  decltype(&nvrtcGetCUBIN) cubin = function("nvrtcGetCUBIN");
  decltype(&nvrtcGetPTXSize) ptx_size = function("nvrtcGetPTXSize");
  decltype(&nvrtcGetPTX) ptx = function("nvrtcGetPTX");
  decltype(&nvrtcGetProgramLogSize) log_size = function("nvrtcGetProgramLogSize");
  decltype(&nvrtcGetProgramLog) log = function("nvrtcGetProgramLog");
  decltype(&nvrtcAddNameExpression) add_name = function("nvrtcAddNameExpression");
  decltype(&nvrtcGetLoweredName) lowered_name = function("nvrtcGetLoweredName");
  // For what else lies beside NVRTC: where it was found, then the other folders that were to be
  // searched.
  std::vector<std::filesystem::path> folders = {};
  int major = 0;
  int minor = 0;

  // Looks where SharedLibrary does. Throws a MachineError that lists where it looked.
  explicit NvrtcApi(const std::vector<std::filesystem::path>& searched);

 private:
  // An address in the place of a function of any type.
  struct Address {
    void* value;
    template <class Function>
    operator Function() const {  // NOLINT: implicit on purpose
      return reinterpret_cast<Function>(value);
    }
  };
  Address function(const char* name) const;
};

}  // namespace tilewright::cuda
