#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench/peers/cases/entrant.hpp"

namespace tilewright::bench {

// A foreign library, loaded at run time. It is never unloaded, because several of them keep state
// of threads and of the device that makes unloading unsafe. The build needs none of their headers.
class SharedLibrary {
 public:
  // Loads the first of `names` from the first of `folders` that has one, else by the dynamic
  // loader's search. Throws CannotCompete: "not present (…)".
  SharedLibrary(std::initializer_list<const char*> names,
                const std::vector<std::filesystem::path>& folders);

  // Throws CannotCompete if the library has no such function.
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

// Throws CannotCompete "CALL: status N" unless the status is 0, which means success in all of these
// libraries.
inline void require_success(int status, const char* call) {
  if (status != 0) throw CannotCompete(std::string(call) + ": status " + std::to_string(status));
}

}  // namespace tilewright::bench
