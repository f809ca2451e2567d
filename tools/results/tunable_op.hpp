#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilewright::tools {

// The values of `gemm` that a line of TunableOp's list of untuned products stands for, such as
// "GemmTunableOp_BFloat16_TN,tn_4096_16_1024_ld_1024_1024_4096". PyTorch writes it with
// PYTORCH_TUNABLEOP_RECORD_UNTUNED=1. Its matrices are column-major, ours row-major, so A and B
// change places. A bias is left out. Nothing if it is no such line. Throws InputError, which begins
// with `where`, for a product that `gemm` does not compute.
std::optional<std::vector<std::string>> tunable_op_problem(const std::string& line,
                                                           const std::string& where);

}  // namespace tilewright::tools
