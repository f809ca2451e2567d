#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/peers/cases/entrant.hpp"
#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::bench {

// What `call` returns. A library's error becomes CannotCompete.
template <class Call>
auto or_cannot_compete(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const cuda::LibraryError& error) {
    throw CannotCompete(error.what());
  }
}

// A foreign library, loaded at run time.
class SharedLibrary {
 public:
  // Looks where cuda::SharedLibrary does. Throws CannotCompete: "not present (…)".
  SharedLibrary(const std::vector<const char*>& names,
                const std::vector<std::filesystem::path>& folders)
      : library_(or_cannot_compete([&] { return cuda::SharedLibrary(names, folders); })) {}

  // Throws CannotCompete if the library has no such function.
  template <class Function>
  Function* find(const char* name) const {
    return or_cannot_compete([&] { return library_.find<Function>(name); });
  }

 private:
  cuda::SharedLibrary library_;
};

// Throws CannotCompete "CALL: status N" unless the status is 0, which means success in all of these
// libraries.
inline void require_success(int status, const char* call) {
  if (status != 0) throw CannotCompete(std::string(call) + ": status " + std::to_string(status));
}

}  // namespace tilewright::bench
