#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::test {

// The names of the manifests in tests/definitions of that source tree, sorted: "sum".
inline std::vector<std::string> definition_names(const std::filesystem::path& source) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source / "tests/definitions"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace tilewright::test
