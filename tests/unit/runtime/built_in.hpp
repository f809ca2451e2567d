#pragma once

#include <filesystem>

#include "tests/support/test_code.hpp"
#include "tilewright/gemm.hpp"

namespace tilewright::test {

// The operations of kernel_templates, without results, and a cache that tests share.
inline RuntimeOptions built_in() {
  RuntimeOptions options;
  options.catalog.kernels = {std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"};
  options.cache = test_code();
  return options;
}

// The implementation whose code compiles in a moment.
inline GemmOptions naive() {
  GemmOptions options;
  options.device = DeviceSelector::host();
  options.implementation = "naive";
  return options;
}

}  // namespace tilewright::test
