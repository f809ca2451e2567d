#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <vector>

namespace tilewright::cuda {

// The functions of NVRTC that we use. The library is never unloaded, because it has thread-local
// state, which makes unloading unsafe.
struct NvrtcApi {
  void* library = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) architecture_count = nullptr;
  decltype(&nvrtcGetSupportedArchs) architectures = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  // For what else lies beside NVRTC: where it was found, then the other folders that were to be
  // searched.
  std::vector<std::filesystem::path> folders = {};
  int major = 0;
  int minor = 0;

  // Looks in the searched folders. An empty one, or else their end, stands for what the process has
  // loaded, NVIDIA's wheels beside this library or program, and the loader's path, in this order.
  // Last come the toolkit of this build and /usr/local/cuda. Throws a MachineError that lists where
  // it looked.
  explicit NvrtcApi(const std::vector<std::filesystem::path>& searched);
};

}  // namespace tilewright::cuda
