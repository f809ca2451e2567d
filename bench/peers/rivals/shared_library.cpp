#include "bench/peers/rivals/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tilewright::bench {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names,
                             const std::vector<std::filesystem::path>& folders) {
  std::string why;
  const auto load = [&](const std::string& file) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr)
      file_ = file;
    else if (const char* error = dlerror(); error != nullptr)
      why = error;
    return handle_ != nullptr;
  };
  std::error_code ignored;
  for (const auto& folder : folders)
    for (const char* name : names)
      if (std::filesystem::exists(folder / name, ignored) && load((folder / name).string())) return;
  for (const char* name : names)
    if (load(name)) return;
  throw CannotCompete(fmt::format("not present ({})", why));
}

void* SharedLibrary::address(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (found == nullptr) throw CannotCompete(fmt::format("not present ({} has no {})", file_, name));
  return found;
}

}  // namespace tilewright::bench
