#include "tuner/backend/notes.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(EntryNote, IsFoundAgainInALog) {
  const std::string log = "warning: k\n" + missing_note("k", {"other", "more(float*)"}) +
                          ambiguous_note("run", {"run(int*)", "run(float*)"}) + "ptxas info\n";
  EXPECT_EQ(entry_note(log, "k"), "no kernel has the name 'k'; there is other, more(float*)");
  EXPECT_EQ(entry_note(log, "run"),
            "no kernel is the only one with the name 'run': there are run(int*) and run(float*); "
            "give each kernel a name of its own");
  EXPECT_EQ(entry_note(log, "ru"), "");
  EXPECT_EQ(entry_note("", "k"), "");
}

TEST(EntryNote, SaysThatThereIsNoKernelAtAll) {
  EXPECT_EQ(missing_note("k<4>", {}), "note: no kernel has the name 'k<4>'\n");
}

TEST(EntryNote, SaysHowATemplateIsNamedWhereThereIsNoKernel) {
  EXPECT_EQ(
      missing_note("k", {}),
      "note: no kernel has the name 'k'; if it is a template, write entry = \"k<…>\" with its "
      "arguments\n");
}

DeviceReport gpu_with(const std::string& driver, int cuda_version) {
  DeviceReport report;
  report.id = "cuda:0";
  report.environment.driver = driver;
  report.cuda_version = cuda_version;
  return report;
}

TEST(OldDriver, IsNamedBesideTheCompilerWithWhatToInstall) {
  EXPECT_EQ(old_driver_note(gpu_with("550.54.15", 12040), "NVRTC 13.0"),
            "cuda:0: the driver 550.54.15 supports CUDA 12.4, so it cannot load code of NVRTC "
            "13.0: install driver 580.65.06 or newer, or the compiler of CUDA 12: pip install "
            "'tilewright[cuda12]'");
  EXPECT_EQ(old_driver_note(gpu_with("470.82.01", 11040), "NVRTC 12.8"),
            "cuda:0: the driver 470.82.01 supports CUDA 11.4, so it cannot load code of NVRTC "
            "12.8: install driver 525.60.13 or newer");
  EXPECT_NE(old_driver_note(gpu_with("580.65.06", 13000), "NVRTC 14.1").find("for CUDA 14"),
            std::string::npos);
}

TEST(OldDriver, AnotherMinorVersionDoesNotMatter) {
  EXPECT_EQ(old_driver_note(gpu_with("535.54.03", 12020), "NVRTC 12.9"), "");
  EXPECT_EQ(old_driver_note(gpu_with("580.65.06", 13000), "NVRTC 13.5"), "");
  EXPECT_EQ(old_driver_note(gpu_with("580.65.06", 13000), "NVRTC 12.8"), "");
}

TEST(OldDriver, OfTheHostThereIsNone) {
  EXPECT_EQ(old_driver_note(DeviceReport{}, "g++ (Debian 12.2.0-14) 12.2.0"), "");
  EXPECT_EQ(old_driver_note(gpu_with("580.65.06", 13000), "g++ 12"), "");
}

}  // namespace
}  // namespace tilewright
