// Kernels that need nvcc, with a script in its place.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kFakeNvcc = R"sh(#!/bin/sh
grep -q '<vector>' tilewright_main.cu || exit 3
cat <<'END'
ptxas info    : Compiling entry function 'copy' for 'sm_90'
ptxas info    : Function properties for copy
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 23 registers
END
echo code > kernel.cubin
)sh";

class NvccInASweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
    give_own_cache(home_);
    file_ = write_copy_kernel(home_.path(),
                              {{"name = \"plain\"", "name = \"plain\"\ncompiler = \"nvcc\""},
                               {"source = \"copy.cu\"", "source = \"slow.cu\""}});
    const std::string source = home_ / "copy.cu";
    write_text(home_ / "slow.cu", content_of(source));  // the reference, always for NVRTC
    write_text(source, "#include <vector>\n" + content_of(source));
    std::filesystem::create_directories(home_ / "cuda/bin");
    write_text(home_ / "cuda/bin/nvcc", kFakeNvcc);
    std::filesystem::permissions(home_ / "cuda/bin/nvcc", std::filesystem::perms::owner_all);
  }
  nlohmann::json plan() const { return plan({"CUDA_HOME=" + (home_ / "cuda").string()}); }
  nlohmann::json plan(const std::vector<std::string>& environment) const {
    const Finished planned = run_tilewright(
        home_.path(), {"plan", file_, "--arch", "sm_90", "--compile", "2", "--json"}, environment);
    const auto json = nlohmann::json::parse(planned.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << planned.out << planned.err;
    return json.is_object() ? json.at("implementations").at(0).at("compile") : nlohmann::json();
  }

  TemporaryFolder home_;
  std::filesystem::path file_;
};

TEST_F(NvccInASweep, CompilesAndFillsTheSameCache) {
  const auto first = plan();
  EXPECT_EQ(first.at("compiled"), 2) << first;
  EXPECT_EQ(first.at("from_cache"), 0);
  EXPECT_EQ(first.at("registers").at("minimum"), 23);
  EXPECT_EQ(plan().at("from_cache"), 2);
  write_text(home_ / "cuda/bin/nvcc", std::string(kFakeNvcc) + "# a newer one\n");
  EXPECT_EQ(plan().at("from_cache"), 0);
}

TEST_F(NvccInASweep, MayBeAnywhereOnPath) {
  std::filesystem::rename(home_ / "cuda/bin", home_ / "wrappers");
  const auto compile = plan({"PATH=" + (home_ / "wrappers").string() + ":/usr/bin:/bin"});
  EXPECT_EQ(compile.at("registers").at("minimum"), 23) << compile;
}

TEST_F(NvccInASweep, ItsErrorsAreOutcomes) {
  write_text(home_ / "cuda/bin/nvcc", "#!/bin/sh\necho 'copy.cu(9): error: no' >&2\nexit 2\n");
  const auto compile = plan();
  EXPECT_EQ(compile.at("compiled"), 0) << compile;
  EXPECT_NE(compile.dump().find("copy.cu(9): error: no"), std::string::npos) << compile;
}

TEST_F(NvccInASweep, OtherCompilersAreNotKnown) {
  const auto bad = write_copy_kernel(
      home_.path(), {{"name = \"plain\"", "name = \"plain\"\ncompiler = \"clang\""}});
  const Finished refused = run_tilewright(home_.path(), {"kernels", bad});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("'compiler' cannot be 'clang'"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace tilewright::test
