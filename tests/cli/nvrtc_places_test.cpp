#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// A library that has NVRTC's functions and reports its version; the others are never called.
constexpr const char* kLibrary = R"(
int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = MINOR; return 0; }
#define FUNCTION(name) int name(void) { return 1; }
FUNCTION(nvrtcGetErrorString) FUNCTION(nvrtcGetNumSupportedArchs) FUNCTION(nvrtcGetSupportedArchs)
FUNCTION(nvrtcCreateProgram) FUNCTION(nvrtcDestroyProgram) FUNCTION(nvrtcCompileProgram)
FUNCTION(nvrtcGetCUBINSize) FUNCTION(nvrtcGetCUBIN) FUNCTION(nvrtcGetPTXSize) FUNCTION(nvrtcGetPTX)
FUNCTION(nvrtcGetProgramLogSize) FUNCTION(nvrtcGetProgramLog) FUNCTION(nvrtcAddNameExpression)
FUNCTION(nvrtcGetLoweredName)
)";

class NvrtcPlaces : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C compiler";
    if (version({}).find("no CUDA backend") != std::string::npos)
      GTEST_SKIP() << "this build has no CUDA backend";
  }
  // Puts NVRTC 13.`minor` there.
  void put(const fs::path& folder, int minor) {
    fs::create_directories(folder);
    write_text(home_ / "nvrtc.c", kLibrary);
    const std::string command =
        "cc -shared -fPIC -Wl,-soname,libnvrtc.so.13 -DMINOR=" + std::to_string(minor) + " -o " +
        (folder / "libnvrtc.so.13").string() + " " + (home_ / "nvrtc.c").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  std::string version(const std::vector<std::string>& environment) const {
    return run_tilewright(home_.path(), {"--version"}, environment).out;
  }

  TemporaryFolder home_;
};

TEST_F(NvrtcPlaces, AreSearchedInTheirOrder) {
  put(home_ / "conda/lib", 91);
  put(home_ / "loader", 92);
  put(home_ / "toolkit/lib64", 93);
  const std::string conda = "CONDA_PREFIX=" + (home_ / "conda").string();
  const std::string loader = "LD_LIBRARY_PATH=" + (home_ / "loader").string();
  const std::string toolkit = "CUDA_HOME=" + (home_ / "toolkit").string();
  EXPECT_NE(version({toolkit, loader, conda}).find("NVRTC 13.91\n"), std::string::npos);
  EXPECT_NE(version({toolkit, loader}).find("NVRTC 13.92\n"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
