#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "tuner/cuda/device/check.hpp"
#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::cuda {

// What a library calls a handle. One of cuBLAS and cuDNN takes one call at a time, because it holds
// the call's stream: lock `mutex`.
struct LibraryHandle {
  std::mutex mutex;
  void* it = nullptr;
};

// A library with handles, whose functions return a status. 0 is success.
class StatusLibrary {
 public:
  // What its functions for that are called. Throws LibraryError: without a library, or with one
  // that lacks a function.
  struct Names {
    std::vector<const char*> files;
    const char* status_text;
    const char* create;
  };
  StatusLibrary(const Names& names, const std::vector<std::filesystem::path>& folders)
      : library(names.files, folders),
        create(library.find<int(void**)>(names.create)),
        create_name_(names.create),
        status_text_(library.find<const char*(int)>(names.status_text)) {}

  // Throws LibraryError "CALL: …", with the library's text, unless the call succeeded.
  void check(int status, const char* call) const {
    if (status != 0) throw LibraryError(fmt::format("{}: {}", call, status_text_(status)));
  }

  // The one of the process for the current device, made when it is first needed and never
  // destroyed. Throws LibraryError.
  LibraryHandle& handle() const {
    const std::lock_guard lock(mutex_);
    int device = 0;
    swallow(cudaGetDevice(&device));  // the library says what is wrong
    LibraryHandle& handle = handles_[device];
    if (handle.it == nullptr) check(create(&handle.it), create_name_);
    return handle;
  }

  SharedLibrary library;
  int (*create)(void**);

 private:
  const char* create_name_;
  const char* (*status_text_)(int);
  mutable std::mutex mutex_;
  mutable std::map<int, LibraryHandle> handles_;
};

// Owns what a library calls a descriptor.
class LibraryDescriptor {
 public:
  using Destroy = int(void*);
  explicit LibraryDescriptor(Destroy* destroy) : destroy_(destroy) {}
  LibraryDescriptor(const LibraryDescriptor&) = delete;
  LibraryDescriptor& operator=(const LibraryDescriptor&) = delete;
  ~LibraryDescriptor() {
    if (it_ != nullptr) destroy_(it_);
  }
  void* get() const { return it_; }
  void** out() { return &it_; }

 private:
  Destroy* destroy_;
  void* it_ = nullptr;
};

// Loads the library at the first call of the process. Throws LibraryError.
template <class Library>
const Library& loaded(const std::vector<std::filesystem::path>& folders) {
  static auto& mutex = *new std::mutex;
  static auto& it = *new std::optional<Library>;
  const std::lock_guard lock(mutex);
  if (!it) it.emplace(folders);
  return *it;
}

}  // namespace tilewright::cuda
