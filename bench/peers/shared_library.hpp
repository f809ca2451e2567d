// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench/peers/entrant.hpp"

namespace tilewright::bench {

// A library of somebody else's, loaded at run time and for good: several keep state of threads and
// of the device that makes unloading unsafe. No header of theirs is needed to build.
class SharedLibrary {
 public:
  // The first of `names` in the first of `folders` that has one, else where the dynamic loader
  // looks. Throws CannotCompete: "not present (…)".
  SharedLibrary(std::initializer_list<const char*> names,
                const std::vector<std::filesystem::path>& folders);

  // Throws CannotCompete where the library has no such function.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

  const std::string& file() const { return file_; }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string file_;
};

// Throws CannotCompete "CALL: status N" for anything but 0, which is success in all of them.
inline void require_success(int status, const char* call) {
  if (status != 0) throw CannotCompete(std::string(call) + ": status " + std::to_string(status));
}

}  // namespace tilewright::bench
