#include "tests/support/wgmma_cases.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

const std::array<Assignments, kWgmmaTypes> kTensorCoreTypes = {{
    {"type_a=bfloat16"},
    {"type_a=float16"},
    {"type_a=float16", "type_c=float32"},
    {"type_a=bfloat16", "type_c=float8_e4m3"},
    {"precision=tf32"},
    {"precision=tf32", "type_c=float16"},
    {"type_a=float8_e4m3"},
    {"type_a=float8_e4m3", "type_b=float8_e5m2", "type_c=float16"},
    {"type_a=float8_e5m2", "type_b=float8_e4m3", "type_c=float32"},
    {"type_a=float8_e5m2", "type_c=float8_e5m2"},
    {"type_a=int8"},
    {"type_a=int8", "type_c=int8"},
    {"type_a=int8", "type_c=bfloat16"},
    {"type_a=float16", "precision=float16"},
}};

// Sizes, whether bulk copies can have C and both matrices as they lie, and the least batch (0: that
// of the caller). Leading dimensions fit every transpose.
struct Sizes {
  Assignments problem;
  bool is_aligned;
  std::size_t batch;
};

const std::vector<Sizes> kSizes = {
    {{"M=128", "N=192", "K=256", "lda=256", "ldb=256"}, true, 0},
    {{"M=131", "N=77", "K=45"}, false, 1},
    {{"M=67", "N=80", "K=75", "lda=80", "ldb=96", "ldc=96"}, true, 1},
    {{"M=300", "N=272", "K=96", "lda=304", "ldb=272", "stride_b=0"}, true, 3},
    {{"M=70", "N=90", "K=300", "ldc=101"}, false, 0},
    {{"M=130", "N=144", "K=1100", "lda=1104", "ldb=1104"}, true, 0},
    {{"M=1", "N=1", "K=1"}, false, 1},
};

const std::vector<std::string> kAlways = {
    "SCHEDULE == 'single' && SPLIT_K == 1 && STORE == 'direct'",
    "SCHEDULE == 'cooperative' && STORE == 'direct' && PERSISTENT == 'yes'",
    "SCHEDULE == 'pingpong' && STORE == 'direct'",
    "CLUSTER_M == 2 && CLUSTER_N == 2",
};
const std::vector<std::string> kAligned = {
    "SCHEDULE == 'pingpong' && STORE == 'bulk'",
    "SCHEDULE == 'cooperative' && STORE == 'bulk' && SWAPPED == 'no'",
    "SPLIT_K > 1 && REDUCTION == 'cluster'",
    "STORE == 'bulk' && CLUSTER_M * CLUSTER_N == 2",
    "STORE == 'bulk' && (BLOCK_M == 80 || BLOCK_M == 88 || SWAPPED == 'no')",
};

// Some of the conditions, other ones in each case.
std::vector<std::string> some_of(const std::vector<std::string>& all, std::size_t turn) {
  return {all[turn % all.size()], all[(turn + 1 + turn / all.size()) % all.size()]};
}

}  // namespace

std::vector<GemmCase> wgmma_cases(std::size_t batch) {
  const std::vector<Assignments> transposes = {{"transpose_a=no", "transpose_b=no"},
                                               {"transpose_a=no", "transpose_b=yes"},
                                               {"transpose_a=yes", "transpose_b=no"},
                                               {"transpose_a=yes", "transpose_b=yes"}};
  std::vector<GemmCase> cases;
  for (std::size_t round = 0; round < kWgmmaRounds; ++round)
    for (std::size_t type = 0; type < kWgmmaTypes; ++type) {
      const std::size_t turn = cases.size();
      const Sizes& sizes = kSizes[(type + 3 * round) % kSizes.size()];
      Assignments problem = joined(sizes.problem, kTensorCoreTypes[type]);
      problem = joined(problem, transposes[(type + round) % transposes.size()]);
      problem.push_back("batch=" + std::to_string(sizes.batch == 0 ? batch : sizes.batch));
      if ((type / 2 + round) % 2 == 1) problem.push_back("accumulate=yes");
      std::vector<std::string> wheres = some_of(kAlways, turn);
      if (sizes.is_aligned) wheres = joined(wheres, some_of(kAligned, turn));
      cases.push_back({problem, wheres});
    }
  for (const std::string type : {"type_a=bfloat16", "type_a=float8_e4m3", "type_a=int8"})
    cases.push_back({{"M=40", "N=48", "K=1200", "batch=2", "transpose_b=yes", type},
                     {"SPLIT_K > 1 && REDUCTION == 'block'"}});
  cases.push_back({{"M=140", "N=200", "K=300", "lda=304", "ldb=304", "transpose_b=yes",
                    "type_a=float8_e4m3", "type_c=bfloat16"},
                   {"SCHEDULE == 'cooperative' && BLOCK_M * BLOCK_N == 24576"}});  // 192 sums
  // Consumers of a tile end one after the other, if there are at least as many steps as stages.
  for (const auto& [K, rest] :
       {std::pair{"K=64", "STAGES == 4 && PERSISTENT == 'yes'"},
        std::pair{"K=192", "STAGES == 3 && PERSISTENT == 'no'"},
        std::pair{"K=256", "STAGES == 4 && PERSISTENT == 'yes' && CLUSTER_M == 2"},
        std::pair{"K=320", "STAGES == 4 && PERSISTENT == 'yes'"}})
    cases.push_back({{"M=140", "N=200", K, "batch=" + std::to_string(batch), "type_a=bfloat16"},
                     {std::string("SCHEDULE == 'cooperative' && IN_FLIGHT == 2 && SPLIT_K == 1 && "
                                  "SPANS_K == 1 && ") +
                      rest}});
  // The left operand goes through registers.
  for (const std::string where :
       {"BLOCK_N == 256", "SCHEDULE == 'pingpong'", "STAGES == 3 && CLUSTER_M == 2",
        "STORE == 'bulk' && BLOCK_M == 88"})
    cases.push_back({{"M=100", "N=280", "K=140", "batch=2", "precision=tf32"},
                     {"SWAPPED == 'yes' && PACKED == 'none' && " + where}});
  cases.push_back({{"M=200", "N=67", "K=332", "lda=204", "ldb=332", "transpose_a=yes",
                    "transpose_b=yes", "precision=tf32", "accumulate=yes"},
                   {"SWAPPED == 'no' && PACKED == 'none' && BLOCK_M == 128",
                    "SWAPPED == 'no' && PACKED == 'none' && SPLIT_K == 2"}});
  cases.push_back(
      {{"M=132", "N=200", "K=77", "transpose_a=yes", "type_c=bfloat16", "precision=tf32"},
       {"SWAPPED == 'yes' && PACKED == 'a'",
        "SWAPPED == 'no' && PACKED == 'b' && STORE == 'bulk'"}});
  return cases;
}

std::string name_of(const GemmCase& gemm_case, std::size_t number) {
  std::string name;
  for (const std::string& assignment : gemm_case.problem)
    if (assignment.starts_with("type") || assignment.starts_with("precision"))
      name += assignment.substr(assignment.find('=') + 1) + "_";
  return name + std::to_string(number);
}

GemmCase wgmma_snippet_case() {
  return {{"M=131", "N=80", "K=45", "batch=2", "lda=48", "ldb=80", "ldc=88", "accumulate=yes",
           "type_a=bfloat16"},
          {"STORE == 'bulk'", "STORE == 'direct' && SPLIT_K == 1"}};
}

std::vector<GemmCase> stream_k_cases() {
  const std::string lone = "STREAM_K > 2 && CLUSTER_M * CLUSTER_N == 1 && ";
  return {
      // A block has the end of a tile and the beginning of the next one.
      {{"M=132", "N=131", "K=132", "lda=136", "ldb=136", "type_a=bfloat16", "accumulate=yes"},
       {lone + "BLOCK_M == 16 && BLOCK_N == 64 && SPANS_K == 1",
        lone + "SCHEDULE == 'cooperative'"}},
      {{"M=132", "N=128", "K=100", "batch=2", "type_a=float16", "lda=104", "transpose_b=yes",
        "ldb=104"},
       {"STREAM_K == 2 && CLUSTER_M * CLUSTER_N == 2 && STORE == 'bulk'",
        "STREAM_K == 4 && CLUSTER_N == 2 && BLOCK_M * BLOCK_N < 4096"}},
      {{"M=130", "N=96", "K=132", "type_a=float8_e4m3", "lda=144", "transpose_b=yes", "ldb=144"},
       {lone + "BLOCK_M * BLOCK_N <= 8192"}},
      {{"M=128", "N=128", "K=90", "precision=tf32", "lda=92", "transpose_b=yes", "ldb=92"},
       {lone + "STORE == 'bulk' && SWAPPED == 'yes' && BLOCK_M * BLOCK_N <= 8192"}},
  };
}

Implementation on_any_device(Implementation implementation) {
  const std::size_t all = implementation.constraints.size();
  std::erase_if(implementation.constraints, [](const Constraint& one) {
    return one.why == "wgmma is an instruction of compute capability 9.0" ||
           one.why == "PERSISTENT=yes needs more tiles than blocks fit on the device";
  });
  EXPECT_LT(implementation.constraints.size(), all);
  return implementation;
}

Implementation with_fewer_wgmma_values(const Implementation& implementation) {
  return with_values(implementation, {{"BLOCK_M", {16, 64, 80, 88, 128}},
                                      {"BLOCK_N", {16, 64, 96, 128, 192, 256}},
                                      {"STAGES", {3, 4}},
                                      {"SPLIT_K", {1, 2, 4}},
                                      {"GROUP", {1, 4}},
                                      {"CLUSTER_M", {1, 2}},
                                      {"CLUSTER_N", {1, 2}}});
}

}  // namespace tilewright::test
