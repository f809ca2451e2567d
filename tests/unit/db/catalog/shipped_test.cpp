#include "db/catalog/shipped.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "db/exchange/winners.hpp"
#include "db/ladder/ladder.hpp"
#include "db/ladder/question.hpp"
#include "definition/problem.hpp"
#include "definition/text/text_file.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/h200.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

using test::h200;

const fs::path kShipped = TILEWRIGHT_SOURCE_DIR "/shipped_results";
const fs::path kKernels = TILEWRIGHT_SOURCE_DIR "/kernel_templates";

std::vector<fs::path> shipped_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kShipped))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  return files;
}

TEST(ShippedFiles, FitTheDefinitionsAsTheyAre) {
  const auto definitions = Library::load({kKernels}, {});
  ASSERT_FALSE(shipped_files().empty());
  for (const fs::path& file : shipped_files()) {
    for (const BestRow& row : import_winners(read_text_file(file, kResultsFile), file.string())) {
      SCOPED_TRACE(file.string() + ": " + row.implementation + ' ' + to_text(row.problem.values));
      Settings values = row.problem.values;
      const auto choice = choose_operation(definitions, row.implementation, values);
      const Implementation& implementation = *choice.implementations.front();
      EXPECT_EQ(make_problem(*choice.operation, values, row.device), row.problem);
      EXPECT_EQ(row.epoch, implementation.epoch);
      EXPECT_TRUE(fits(implementation, row.configuration, row.problem, row.device));
      EXPECT_TRUE(row.trial.verification.has_value());
      EXPECT_GT(row.trial.timing->median_us, 0);
      EXPECT_GT(row.finished, 0);
      EXPECT_NE(row.environment.driver, "");
    }
  }
}

TEST(ShippedFiles, AnswerForAnH200WithoutADatabase) {
  const Catalog catalog({.kernels = {kKernels}, .shipped = {kShipped}});
  const Answer exact = catalog.look_up({"gemm", {{"M", 4096}, {"N", 4096}, {"K", 4096}}, h200()});
  EXPECT_EQ(exact.rung, Rung::exact);
  EXPECT_EQ(exact.origin, Origin::shipped);
  EXPECT_EQ(exact.implementation, "gemm/blocked");
  EXPECT_EQ(exact.measured_device, "NVIDIA H200");
  EXPECT_GT(exact.median_us, 0);
  EXPECT_EQ(exact.reason, "");
  const Answer near = catalog.look_up({"gemm", {{"M", 4000}, {"N", 4000}, {"K", 4000}}, h200()});
  EXPECT_EQ(near.rung, Rung::near_problem);
  EXPECT_EQ(near.configuration, exact.configuration);
  const Answer image = catalog.look_up({"conv2d", {{"filter_width", 5}}, h200()});
  EXPECT_EQ(image.rung, Rung::exact);
  const Answer fused = catalog.look_up(
      {"gemm", {{"M", 2048}, {"N", 2048}, {"K", 2048}, {"epilogue", "bias_gelu"}}, h200()});
  EXPECT_EQ(fused.rung, Rung::exact);
  const std::vector<Device> devices = catalog.devices("gemm");
  EXPECT_NE(std::ranges::find(devices, h200()), devices.end());
}

// What was measured before there was the choice serves both accuracies.
TEST(ShippedFiles, AnswerForEachAccuracy) {
  const Catalog catalog({.kernels = {kKernels}, .shipped = {kShipped}});
  const Answer normwise = catalog.look_up({"conv2d", {{"filter_width", 5}}, h200()});
  EXPECT_EQ(normwise.rung, Rung::exact);
  const Answer elementwise =
      catalog.look_up({"conv2d", {{"filter_width", 5}, {"accuracy", "elementwise"}}, h200()});
  EXPECT_EQ(elementwise.rung, Rung::near_problem);
  EXPECT_EQ(elementwise.distance, 0);
  EXPECT_EQ(elementwise.configuration, normwise.configuration);
}

// Of problems that nobody measured, by the formulas of cost alone.
TEST(CatalogOfBuiltIns, TakesATransformForLargeFiltersUnlessAccuracyForbidsIt) {
  const Catalog catalog({.kernels = {kKernels}});
  const auto implementation = [&](const char* operation, Settings problem) {
    return catalog.look_up({operation, std::move(problem), h200()}).implementation;
  };
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 5}}), "conv2d/halo");
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 15}}), "conv2d/fft");
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 111}}), "conv2d/fft");
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 111}, {"accuracy", "elementwise"}}),
            "conv2d/halo");
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 15}, {"accuracy", "elementwise"}}),
            "conv2d/halo");
  EXPECT_EQ(implementation("conv2d", {{"width", 100}, {"height", 100}, {"filter_width", 9}}),
            "conv2d/halo");
  EXPECT_EQ(implementation("conv1d", {{"taps", 9}}), "conv1d/register");
  EXPECT_EQ(implementation("conv1d", {{"taps", 1025}}), "conv1d/fft");
  EXPECT_EQ(implementation("conv1d", {{"taps", 1025}, {"accuracy", "elementwise"}}),
            "conv1d/register");
  EXPECT_EQ(implementation("conv1d", {{"taps", 4097}}), "conv1d/fft");
}

TEST(CatalogOfBuiltIns, FiltersDirectlyWhereTilesOfTransformsDoNotFit) {
  const Catalog catalog({.kernels = {kKernels}});
  Device small = h200();
  small.shared_bytes_per_block = small.shared_bytes_per_sm = 65536;
  const auto implementation = [&](const char* operation, Settings problem) {
    return catalog.look_up({operation, std::move(problem), small}).implementation;
  };
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 32}}), "conv2d/fft");
  EXPECT_EQ(implementation("conv2d", {{"filter_width", 65}}), "conv2d/halo");
  EXPECT_NE(implementation("conv1d", {{"taps", 1500}, {"type", "float64"}}), "conv1d/fft");
  Settings many = {{"width", 64}, {"height", 64}, {"filter_width", 111}};
  many["filters"] = "per_channel";
  many["channels"] = 20000;  // whose spectra would take more than 1 GiB
  EXPECT_EQ(catalog.look_up({"conv2d", many, h200()}).implementation, "conv2d/halo");
}

TEST(ShippedFiles, AnswerForRelatedDevices) {
  const Catalog catalog({.kernels = {kKernels}, .shipped = {kShipped}});
  Device h100 = h200();
  h100.name = "NVIDIA H100 80GB HBM3";
  h100.l2_bytes = 52428800;
  const Settings problem = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  const Answer answer = catalog.look_up({"gemm", problem, h100});
  EXPECT_EQ(answer.rung, Rung::near_device);
  EXPECT_EQ(answer.origin, Origin::shipped);
  h100.compute_capability = 80;
  EXPECT_EQ(catalog.look_up({"gemm", problem, h100}).rung, Rung::manifest_default);
  Device gh200 = h200();
  gh200.name = "NVIDIA GH200 480GB";
  const Settings narrow = {{"M", 4096}, {"N", 4096}, {"K", 4096}, {"type_a", "bfloat16"}};
  EXPECT_EQ(catalog.look_up({"gemm", narrow, h200()}).rung, Rung::exact);
  const Answer related = catalog.look_up({"gemm", narrow, gh200});
  EXPECT_EQ(related.rung, Rung::near_device);
  EXPECT_EQ(related.implementation, "gemm/wgmma");
}

TEST(ShippedFiles, OneThatCannotBeReadIsAReason) {
  const FolderOfFiles folder;
  folder.write("bad.json", "{\"format\": ");
  folder.write("notes.txt", "not a result");
  const Catalog catalog({.kernels = {kKernels}, .shipped = {folder.path(), kShipped}});
  const Settings odd = {{"M", 3}, {"N", 5}, {"K", 7}};
  const Answer miss = catalog.look_up({"gemm", odd, h200()});
  EXPECT_EQ(miss.rung, Rung::manifest_default);
  EXPECT_NE(miss.reason.find("bad.json"), std::string::npos) << miss.reason;
  const Settings known = {{"M", 4096}, {"N", 4096}, {"K", 4096}};
  EXPECT_EQ(catalog.look_up({"gemm", known, h200()}).rung, Rung::exact);
}

}  // namespace
}  // namespace tilewright
