#include "bench/peers/rivals/device_code.hpp"

namespace tilewright::bench {

DeviceCode::DeviceCode(const CompileResult& code) {
  cudaLibrary_t library = nullptr;
  cuda::check(
      cudaLibraryLoadData(&library, code.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      "load a kernel of tilewright-peers");
  library_ = cuda::CodeLibrary(library);
  for (const auto& [entry, compiled] : code.entries)
    cuda::check(cudaLibraryGetKernel(&kernels_[entry], library, compiled.symbol.c_str()),
                "find " + entry);
}

void DeviceCode::launch_raw(const std::string& entry, dim3 blocks, dim3 threads, void** arguments,
                            cudaStream_t stream) const {
  cuda::check_trial(cudaLaunchKernel(static_cast<const void*>(kernels_.at(entry)), blocks, threads,
                                     arguments, 0, stream),
                    "launch of " + entry);
}

}  // namespace tilewright::bench
