#include "tools/results/tunable_op.hpp"

#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

std::string values_of(const std::string& line) {
  const auto values = tunable_op_problem(line, "here:1");
  return values ? fmt::format("{}", fmt::join(*values, " ")) : "none";
}

TEST(TunableOp, ProductsChangeTheirMatrices) {
  EXPECT_EQ(values_of("GemmTunableOp_float_NN,nn_512_16_1024_ld_512_1024_512"),
            "M=16 N=512 K=1024 lda=1024 ldb=512 ldc=512");
  EXPECT_EQ(values_of("GemmTunableOp_BFloat16_TN,tn_4096_16_1024_ld_1024_1024_4096"),
            "M=16 N=4096 K=1024 transpose_b=yes lda=1024 ldb=1024 ldc=4096 type_a=bfloat16");
  EXPECT_EQ(values_of("GemmTunableOp_tf32_NT,nt_5120_64_2048"),
            "M=64 N=5120 K=2048 transpose_a=yes precision=tf32");
  EXPECT_EQ(values_of("GemmAndBiasTunableOp_Half_TN,tn_8_4_2_ld_2_2_8,Gemm_Default,0.1\r"),
            "M=4 N=8 K=2 transpose_b=yes lda=2 ldb=2 ldc=8 type_a=float16");
  EXPECT_EQ(values_of("GemmStridedBatchedTunableOp_double_NN,nn_8_4_2_B_3_ld_8_2_8"),
            "M=4 N=8 K=2 batch=3 lda=2 ldb=8 ldc=8 type_a=float64");
}

TEST(TunableOp, OtherLinesAreNone) {
  for (const char* line : {"", "M=512 N=16", "Validator,PT_VERSION,2.11.0", "M=16,32 K=8"})
    EXPECT_EQ(values_of(line), "none") << line;
}

TEST(TunableOp, WhatGemmDoesNotComputeIsRefused) {
  const std::pair<const char*, const char*> lines[] = {
      {"ScaledGemmTunableOp_Float8_e4m3fn_Float8_e4m3fn_BFloat16_TN,tn_8_4_2",
       "only GemmTunableOp"},
      {"GemmTunableOp_c10::complex<float>_NN,nn_8_4_2", "no such type"},
      {"GemmTunableOp,nn_8_4_2", "no such type"},
      {"GemmTunableOp_float_NN,nn_8_4", "not a shape"},
      {"GemmTunableOp_float_NN,nn_8_4_x", "not a shape"},
      {"GemmTunableOp_float_NN,n_8_4_2", "not a shape"},
      {"GemmTunableOp_float_NN,nn_8_4_2_ld_1_2", "not a shape"},
      {"GemmTunableOp_float_NN,", "not a shape"},
      {"GemmStridedBatchedTunableOp_float_NN,nn_8_4_2", "not a shape"}};
  for (const auto& [line, why] : lines) try {
      values_of(line);
      ADD_FAILURE() << line;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("here:1: '", 0), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace tilewright::tools
