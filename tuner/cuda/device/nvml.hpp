#pragma once

#include <memory>
#include <string>

namespace tilewright::cuda {

inline constexpr int kNvmlSuccess = 0;

// libnvidia-ml.so.1, loaded and initialised; the destructor releases it. Its functions are looked
// up by name, because not every toolkit has nvml.h.
class Nvml {
 public:
  Nvml();  // throws MachineError if NVML is missing or cannot start
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  // nullptr if this driver's NVML has no such function.
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(address(name));
  }
  std::string error_text(int result) const;  // "Not Supported"

 private:
  void* address(const char* name) const;

  struct CloseLibrary {
    void operator()(void* library) const noexcept;
  };
  std::unique_ptr<void, CloseLibrary> library_;
};

// The driver's version from NVML, such as "580.159.04"; empty if NVML is missing or does not
// answer. Loads NVML and releases it again.
std::string nvml_driver_version();

}  // namespace tilewright::cuda
