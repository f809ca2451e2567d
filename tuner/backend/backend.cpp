#include "tuner/backend/backend.hpp"

#include <algorithm>
#include <sstream>
#include <system_error>
#include <utility>

namespace tilewright {

std::string single_spaced(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

Resources costliest(const std::vector<Resources>& launches) {
  const auto worst = std::ranges::min_element(launches, {}, [](const Resources& one) {
    return std::pair(one.blocks_per_sm, -std::int64_t{one.threads});
  });
  return worst == launches.end() ? Resources{} : *worst;
}

std::vector<std::filesystem::path> nvidia_wheels(const std::filesystem::path& package) {
  std::vector<std::filesystem::path> folders;
  for (const char* part : {"cu13", "cuda_nvrtc", "cublas"}) {
    const auto folder = (package / ".." / "nvidia" / part / "lib").lexically_normal();
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) folders.push_back(folder);
  }
  return folders;
}

}  // namespace tilewright
