#include "tuner/backend/nvidia_wheels.hpp"

#include <system_error>

namespace tilewright {

std::vector<std::filesystem::path> nvidia_wheels(const std::filesystem::path& package) {
  std::vector<std::filesystem::path> folders;
  for (const char* part : {"cu13", "cuda_nvrtc"}) {
    const auto folder = (package / ".." / "nvidia" / part / "lib").lexically_normal();
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) folders.push_back(folder);
  }
  return folders;
}

}  // namespace tilewright
