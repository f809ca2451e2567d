#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>

#include "tuner/cuda/device/check.hpp"

namespace tilewright::cuda {

// What a library calls a handle. One of cuBLAS and cuDNN takes one call at a time, because it holds
// the call's stream: lock `mutex`.
struct LibraryHandle {
  std::mutex mutex;
  void* it = nullptr;
};

// Those of a library, one for each device, made when they are first needed and never destroyed.
class LibraryHandles {
 public:
  // Of the current device. What `create` throws passes on.
  template <class Create>
  LibraryHandle& current(const Create& create) {
    const std::lock_guard lock(mutex_);
    int device = 0;
    swallow(cudaGetDevice(&device));  // the library says what is wrong
    LibraryHandle& handle = handles_[device];
    if (handle.it == nullptr) create(&handle.it);
    return handle;
  }

 private:
  std::mutex mutex_;
  std::map<int, LibraryHandle> handles_;
};

}  // namespace tilewright::cuda
