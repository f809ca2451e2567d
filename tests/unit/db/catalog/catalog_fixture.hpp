#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/sample_store.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright::test {

namespace fs = std::filesystem;

inline const Settings kSize = {{"M", 512}, {"N", 512}, {"K", 512}};
inline const Configuration kFast = {{{"BLOCK_X", 128}, {"BLOCK_Y", 4}}};

inline Device unrelated_device() {
  Device device = sample_device("NVIDIA Test 1");
  device.compute_capability = 10;
  return device;
}

// Catalogs of a database that may have the sample sweep.
class CatalogTest : public ::testing::Test {
 protected:
  CatalogOptions options() const {
    CatalogOptions options;
    options.database = database_;
    options.kernels = {fs::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"};
    options.patience = std::chrono::milliseconds(20);
    return options;
  }
  Answer ask(const Question& question) const { return Catalog(options()).look_up(question); }

  FolderOfFiles folder_;
  const fs::path database_ = folder_.path() / "results.db";
  const Question question_{"gemm", kSize, sample_device()};
};

}  // namespace tilewright::test
