#pragma once

#include <filesystem>

namespace tilewright::test {

// The compiled kernels that all tests of a build share, with the programs that they run. The build
// empties this folder when the code that compiles kernels changes.
inline std::filesystem::path test_code(const std::filesystem::path& build = TILEWRIGHT_BINARY_DIR) {
  return build / "test-code";
}

}  // namespace tilewright::test
