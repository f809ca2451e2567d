#include "tuner/cuda/compile/ptxas_log.hpp"

#include <gtest/gtest.h>

namespace tilewright::cuda {
namespace {

// As NVRTC 13.0 writes it.
constexpr const char* kLog13 =
    "k.cu(1): warning #177-D: variable \"q\" was declared but never referenced\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_ZN1n1kILi8EEEvPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _ZN1n1kILi8EEEvPf\n"
    "ptxas         .     0 bytes stack frame, 104 bytes spill stores, 112 bytes spill loads\n"
    "ptxas info    : Used 128 registers, used 1 barriers, 33280 bytes smem\n"
    "ptxas info    : Compile time = 13.340 ms\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
    "ptxas info    : Function properties for k\n"
    "ptxas         .     2400 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 0 barriers, 2432 bytes cumulative stack size\n"
    "ptxas info    : Compile time = 0.602 ms\n";

// As the assembler of CUDA 12 writes it, with a function that was not inlined.
constexpr const char* kLog12 =
    "ptxas info    : 0 bytes gmem, 8 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function 'reduce' for 'sm_80'\n"
    "ptxas info    : Function properties for reduce\n"
    "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 40 registers, 1024 bytes smem, 376 bytes cmem[0]\n"
    "ptxas info    : Function properties for _Z5helperPf\n"
    "    512 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n";

TEST(PtxasLog, ReadsEveryEntryOfCuda13) {
  const auto entries = parse_ptxas_log(kLog13);
  ASSERT_EQ(entries.size(), 2U);
  const Resources& first = entries.at("_ZN1n1kILi8EEEvPf");
  EXPECT_EQ(first.registers, 128);
  EXPECT_EQ(first.shared_bytes, 33280);
  EXPECT_EQ(first.spill_bytes, 216);
  EXPECT_EQ(first.stack_bytes, 0);
  const Resources& second = entries.at("k");
  EXPECT_EQ(second.registers, 32);
  EXPECT_EQ(second.shared_bytes, 0);
  EXPECT_EQ(second.spill_bytes, 0);
  EXPECT_EQ(second.stack_bytes, 2432);
}

TEST(PtxasLog, LeavesWhatTheLogCannotTellUnknown) {
  const Resources entry = parse_ptxas_log(kLog13).at("k");
  EXPECT_EQ(entry.threads, -1);
  EXPECT_EQ(entry.blocks_per_sm, -1);
}

TEST(PtxasLog, KeepsCalledFunctionsApartInCuda12) {
  const auto entries = parse_ptxas_log(kLog12);
  ASSERT_EQ(entries.size(), 1U);
  const Resources& entry = entries.at("reduce");
  EXPECT_EQ(entry.registers, 40);
  EXPECT_EQ(entry.shared_bytes, 1024);
  EXPECT_EQ(entry.spill_bytes, 12);
  EXPECT_EQ(entry.stack_bytes, 16);
}

TEST(PtxasLog, NoEntriesInOtherText) {
  EXPECT_TRUE(parse_ptxas_log("").empty());
  EXPECT_TRUE(parse_ptxas_log("k.cu(1): error: Used 3 registers\n").empty());
}

TEST(StaticSharedNote, NamesEachKernelWithTooMuch) {
  const std::string of_13 =
      "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 49153 bytes smem\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90'\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 49152 bytes smem\n";
  EXPECT_EQ(static_shared_note(of_13),
            "kernel k(float*) has 49153 bytes of static shared memory, and the compiler accepts at "
            "most 49152; declare it as `extern __shared__` and give the launch its size as "
            "`shared_bytes`\n");
  const std::string of_12 =
      "ptxas error   : Entry function 'reduce' uses too much shared data (0x10000 bytes, 0xc000 "
      "max)\n";
  EXPECT_TRUE(static_shared_note(of_12).starts_with("kernel reduce has 65536 bytes of static "))
      << static_shared_note(of_12);
  EXPECT_EQ(static_shared_note(of_13 + "k.cu(3): error: no\n"), "");
  EXPECT_EQ(static_shared_note("ptxas error : Entry function '' uses too much shared data (0xgg"),
            "");
  EXPECT_EQ(static_shared_note(kLog13), "");
}

TEST(StableLog, DropsOnlyTheCompileTimes) {
  const std::string stable = stable_log(kLog13);
  EXPECT_EQ(stable.find("Compile time"), std::string::npos);
  EXPECT_NE(stable.find("warning #177-D"), std::string::npos);
  EXPECT_EQ(parse_ptxas_log(stable), parse_ptxas_log(kLog13));
  EXPECT_EQ(stable_log(stable), stable);
}

}  // namespace
}  // namespace tilewright::cuda
