#include "db/catalog/fingerprint.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <tuple>

#include "db/exchange/winners.hpp"
#include "definition/text/text_file.hpp"
#include "tests/cli/sample_store.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class FingerprintTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(kernels_);
    for (const char* part : {"gemm", "common"})
      fs::copy(fs::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates" / part, kernels_ / part,
               fs::copy_options::recursive);
  }
  CatalogOptions options(const std::string& database) const {
    CatalogOptions options;
    options.kernels = {kernels_};
    options.database = folder_.path() / database;
    return options;
  }
  static std::string fingerprint(const CatalogOptions& options) {
    return Catalog(options).fingerprint();
  }
  std::vector<Store::Imported> sweeps_of(const std::string& database) const {
    const Store store(folder_.path() / database, Store::Mode::read_only);
    std::vector<Store::Imported> sweeps;
    for (SweepRecord& sweep : store.sweeps({})) sweeps.push_back({sweep, store.trials(sweep.id)});
    for (Store::Imported& one : sweeps) one.sweep.imported = true;
    return sweeps;
  }

  FolderOfFiles folder_;
  const fs::path kernels_ = folder_.path() / "kernels";
};

TEST_F(FingerprintTest, DependsOnWhatIsNotFinishedAndOnWhatIsWrong) {
  const CatalogOptions options = this->options("one.db");
  add_sample_sweep(options.database);
  std::set<std::string> seen = {fingerprint(options)};
  add_unfinished_sweep(options.database);
  EXPECT_TRUE(seen.insert(fingerprint(options)).second);
  Store store(options.database);
  Trial wrong = store.trials(2).at(0);
  wrong.stage = Stage::final;
  wrong.outcome = Outcome::wrong_answer;
  wrong.timing.reset();
  store.add_trial(2, wrong);
  EXPECT_TRUE(seen.insert(fingerprint(options)).second);
}

// Row ids, and with them the order of devices, differ.
TEST_F(FingerprintTest, DoesNotDependOnTheOrderInWhichAStoreTookItsSweeps) {
  Device twin = sample_device();
  twin.max_blocks_per_sm += 1;  // of equal name, size and distance
  add_sample_sweep(folder_.path() / "one.db");
  add_sample_sweep(folder_.path() / "two.db", twin);
  for (const auto& [into, first, second] :
       {std::tuple("a.db", "one.db", "two.db"), std::tuple("b.db", "two.db", "one.db")}) {
    Store store(folder_.path() / into);
    store.import_sweeps(sweeps_of(first));
    store.import_sweeps(sweeps_of(second));
  }
  const std::string a = fingerprint(options("a.db"));
  EXPECT_EQ(a.size(), 32U);
  EXPECT_EQ(a, fingerprint(options("b.db")));
  EXPECT_NE(a, fingerprint(options("one.db")));
  // Of equally near devices the first one answers.
  const Store store_a(folder_.path() / "a.db", Store::Mode::read_only);
  const Store store_b(folder_.path() / "b.db", Store::Mode::read_only);
  const SubjectList near_a = store_a.subjects("gemm", DeviceKind::cuda);
  ASSERT_EQ(near_a.devices.size(), 2U);
  EXPECT_EQ(near_a.devices, store_b.subjects("gemm", DeviceKind::cuda).devices);
  EXPECT_EQ(store_a.best({}).front().device, store_b.best({}).front().device);
}

TEST_F(FingerprintTest, ChangesWithAllThatDecides) {
  add_sample_sweep(folder_.path() / "one.db");
  CatalogOptions more = options("one.db");
  std::set<std::string> seen = {fingerprint(more)};
  const auto expect_new = [&](const std::string& what) {
    EXPECT_TRUE(seen.insert(fingerprint(more)).second) << what;
    EXPECT_FALSE(seen.insert(fingerprint(more)).second) << what << ", again";
  };
  more.overrides = {{"gemm/naive", {}, {{{"BLOCK_X", 32}, {"BLOCK_Y", 8}}}}};
  expect_new("an override");
  const Store store(more.database, Store::Mode::read_only);
  write_file(folder_.path() / "winners.json", export_winners(store.best({})));
  more.shipped = {folder_.path() / "winners.json"};
  expect_new("shipped results");
  fs::copy(kernels_, folder_.path() / "moved", fs::copy_options::recursive);
  more.kernels = {folder_.path() / "moved"};
  EXPECT_FALSE(seen.insert(fingerprint(more)).second) << "the place of manifests counts";
  std::ofstream(folder_.path() / "moved" / "gemm" / "operation.toml", std::ios::app)
      << "\n# more\n";
  expect_new("a manifest");
  std::ofstream(folder_.path() / "moved" / "gemm" / "naive" / "naive.fit.toml", std::ios::app)
      << "\n# more\n";
  expect_new("what is fitted");
  add_sample_sweep(more.database, sample_device("another"));
  expect_new("a result");
}

TEST_F(FingerprintTest, IsRefusedWhereAnAnswerCannotBeRead) {
  EXPECT_THROW(fingerprint(options("missing.db")), MachineError);
  CatalogOptions none = options("missing.db");
  none.database.clear();
  EXPECT_EQ(fingerprint(none).size(), 32U);
  none.shipped = {folder_.path() / "missing.json"};
  EXPECT_THROW(fingerprint(none), InputError);
}

}  // namespace
}  // namespace tilewright::test
