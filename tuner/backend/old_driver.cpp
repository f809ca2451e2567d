#include "tuner/backend/old_driver.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace tilewright {
namespace {

constexpr int kMajor = 1000;  // the part of a version that counts its majors

// Of "NVRTC 13.0"; 0 for other compilers.
int major_of(std::string_view compiler) {
  constexpr std::string_view kName = "NVRTC ";
  int major = 0;
  if (compiler.starts_with(kName))
    std::from_chars(compiler.data() + kName.size(), compiler.data() + compiler.size(), major);
  return major;
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / kMajor, version % kMajor / 10);
}

std::string driver_to_install(int cuda_version) {
  switch (cuda_version / kMajor) {
    case 12:
      return "install driver 525.60.13 or newer";
    case 13:
      return "install driver 580.65.06 or newer";
    default:
      return fmt::format("install a driver for CUDA {}", cuda_version / kMajor);
  }
}

std::string old_driver_note(const DeviceReport& device, const std::string& compiler) {
  const int major = major_of(compiler);
  if (device.cuda_version == 0 || device.cuda_version / kMajor >= major) return "";
  std::string note =
      fmt::format("{}: the driver {} supports CUDA {}, so it cannot load code of {}: {}", device.id,
                  device.environment.driver, cuda_version_text(device.cuda_version), compiler,
                  driver_to_install(major * kMajor));
  if (device.cuda_version / kMajor == 12)
    note += ", or the compiler of CUDA 12: pip install 'tilewright[cuda12]'";
  return note;
}

}  // namespace tilewright
