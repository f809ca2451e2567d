// A sweep with the library that is made for tests (tests/support/fake_cublas_lt.cpp), and without.
// Nothing is measured, so no GPU is needed.
#include "campaign/prepared_sweep.hpp"

#include <gtest/gtest.h>

#include "definition/problem.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

class ContestOfLibraries : public testing::Test {
 protected:
  void SetUp() override {
#ifndef TILEWRIGHT_FAKE_LIBRARIES
    GTEST_SKIP() << "this build has no CUDA backend";
#else
    toolchain_.toolkit_folders = {TILEWRIGHT_FAKE_LIBRARIES, ""};
    report_.device = backend_of(DeviceKind::cuda).planned_device("sm_90", toolchain_);
    try {
      compiler_version(DeviceKind::cuda, toolchain_);
    } catch (const MachineError& error) {
      GTEST_SKIP() << error.what();
    }
#endif
  }

  SweepKey key(const std::string& name, Libraries libraries = Libraries::on) const {
    const Library library =
        Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"}, {}, libraries);
    Target target = choose_target(find_family(name, library), name);
    const Problem problem =
        make_problem(target.operation(), Settings{{"M", 64}, {"N", 64}, {"K", 64}}, report_.device);
    return prepare_sweep(std::move(target), problem, report_, {}, toolchain_).key;
  }

  // The version of cublasLt in the key; empty: it does not take part.
  static std::string version_in(const SweepKey& key) {
    for (const ImplementationKey& one : key.implementations)
      if (one.name == "gemm/cublaslt") return one.source_hash;
    return "";
  }

  Toolchain toolchain_;
  DeviceReport report_;
};

TEST_F(ContestOfLibraries, HasTheLibraryThatIsHere) {
  const SweepKey all = key("gemm");
  EXPECT_EQ(version_in(all), "cublasLt 13.9.2");
  EXPECT_GT(all.implementations.size(), 1U);
  EXPECT_EQ(key("gemm/cublaslt").implementations.size(), 1U);
}

TEST_F(ContestOfLibraries, HasNoneThatIsSwitchedOff) {
  const SweepKey own = key("gemm", Libraries::off);
  EXPECT_EQ(version_in(own), "");
  for (const ImplementationKey& one : own.implementations)
    EXPECT_EQ(one.source_hash.find("cuBLAS"), std::string::npos) << one.name;
  EXPECT_THROW(key("gemm/cublaslt", Libraries::off), InputError);
}

}  // namespace
}  // namespace tilewright
