#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright::cuda {

// A foreign library is missing, lacks a function, or refuses what it is asked.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A foreign library, loaded at run time. It is never unloaded, because such libraries keep state of
// threads and of the device, which makes unloading unsafe. The build needs none of their headers.
class SharedLibrary {
 public:
  // Loads the first of `names` that is found. Looks in the searched folders. An empty one, or else
  // their end, stands for what the process has loaded, NVIDIA's wheels beside this library or
  // program, and the loader's path, in this order. Last come the usual folders. Throws a
  // LibraryError "not present (…)" that lists where it looked, and says what is wrong with a file
  // that does not load.
  SharedLibrary(const std::vector<const char*>& names,
                const std::vector<std::filesystem::path>& searched);

  // Throws LibraryError if the library has no such function.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  void* address(const char* name) const;

  // Where it was found; empty if the loader does not say it.
  std::filesystem::path folder_of(const char* function) const;

 private:
  void* handle_ = nullptr;
  std::string name_;
};

// The toolkit of this build, and /usr/local/cuda.
std::vector<std::filesystem::path> usual_library_folders();

}  // namespace tilewright::cuda
