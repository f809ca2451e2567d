#include "tests/support/gemm_cases.hpp"

#include <map>
#include <set>
#include <utility>

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

std::vector<Assignments> all_transposes() {
  std::vector<Assignments> all;
  for (const std::string a : {"no", "yes"})
    for (const std::string b : {"no", "yes"})
      all.push_back({"transpose_a=" + a, "transpose_b=" + b});
  return all;
}

}  // namespace

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Implementation with_values(Implementation implementation,
                           const std::map<std::string, std::set<Value>>& kept) {
  for (Parameter& parameter : implementation.parameters)
    if (const auto at = kept.find(parameter.name); at != kept.end())
      std::erase_if(parameter.values,
                    [&](const Value& value) { return !at->second.contains(value); });
  return implementation;
}

std::vector<GemmCase> blocked_cases() {
  const std::vector<Assignments> sizes = {
      {"M=131", "N=77", "K=45"},                                                      // no vectors
      {"M=128", "N=192", "K=64"},                                                     // no edges
      {"M=68", "N=100", "K=268", "lda=272", "ldb=276", "ldc=112", "accumulate=yes"},  // gaps
      {"M=33", "N=70", "K=40", "batch=3"},
  };
  const Assignments ways = {
      "LOADING == 'registers' && LAYOUT == 'depths' && SPLIT_K == 1",
      "LOADING == 'registers' && LAYOUT == 'positions'",
      "LOADING == 'async' && LAYOUT == 'depths' && STAGES == 3",
      "LOADING == 'async' && LAYOUT == 'positions' && SPLIT_K == 1",
      "SPLIT_K > 1 && REDUCTION == 'block'",
      "SPLIT_K > 1 && REDUCTION == 'launch'",
      "FRAGMENTS == 2 && SPLIT_K == 1",
      "SHAPE == 'compiled' && ORDER == 'zigzag'",
  };
  std::vector<GemmCase> cases;
  std::size_t turn = 0;
  for (const Assignments& transposes : all_transposes()) {
    Assignments possible = ways;
    if (transposes == Assignments{"transpose_a=yes", "transpose_b=no"})
      std::erase_if(possible, [](const std::string& way) {
        return way.find("positions") != std::string::npos;
      });
    // Each transpose has two of the sizes. Each size has both transposes of each matrix.
    for (std::size_t size = turn++ % 2; size < sizes.size(); size += 2)
      cases.push_back({joined(sizes[size], transposes), possible});
  }
  return cases;
}

std::vector<GemmCase> boxed_cases() {
  const std::vector<Assignments> sizes = {
      {"M=131", "N=77", "K=45", "lda=132", "ldb=80", "ldc=112", "accumulate=yes"},
      {"M=300", "N=700", "K=60"},
      {"M=33", "N=70", "K=300", "lda=304", "ldb=300", "batch=3"},
      {"M=68", "N=100", "K=41", "lda=68", "ldb=104", "batch=2", "stride_a=0"},
  };
  const std::string bulk = "LOADING == 'bulk' && ";
  std::vector<GemmCase> cases;
  for (const Assignments& transposes : all_transposes()) {
    Assignments wheres = {bulk + "SPLIT_K == 1 && BLOCK_K == 8 && STAGES == 3",
                          bulk + "SPLIT_K == 1 && BLOCK_K == 16 && STAGES == 2",
                          bulk + "SPLIT_K == 1 && BLOCK_K == 32 && SHAPE == 'compiled'",
                          bulk + "SPLIT_K > 1 && REDUCTION == 'block'",
                          bulk + "SPLIT_K > 1 && REDUCTION == 'launch'"};
    if (transposes == Assignments{"transpose_a=yes", "transpose_b=no"})
      wheres.push_back(bulk + "SPLIT_K == 1 && FRAGMENTS == 2");
    for (const Assignments& size : sizes) cases.push_back({joined(size, transposes), wheres});
  }
  return cases;
}

std::vector<GemmCase> thin_cases() {
  const std::vector<std::pair<Assignments, std::string>> sizes = {
      {{"M=1", "N=300", "K=277"}, "SIDE == 'rows'"},
      {{"M=16", "N=132", "K=512", "accumulate=yes"}, "SIDE == 'rows'"},
      {{"M=5", "N=64", "K=200", "batch=3"}, "SIDE == 'rows'"},
      {{"M=300", "N=1", "K=277"}, "SIDE == 'columns'"},
      {{"M=132", "N=8", "K=512", "lda=516", "ldb=520", "ldc=12"}, "SIDE == 'columns'"},
      {{"M=67", "N=11", "K=200", "batch=2", "accumulate=yes"}, "SIDE == 'columns'"},
  };
  std::vector<GemmCase> cases;
  const std::string loadings[] = {"registers", "async", "ahead"};
  std::size_t turn = 0;
  const auto where = [&](const std::string& side, const std::string& parts) {
    return side + " && SPLIT_K " + parts + " && LOADING == '" + loadings[turn++ % 3] + "'";
  };
  for (const Assignments& transposes : all_transposes())
    for (const auto& [size, side] : sizes)
      cases.push_back({joined(size, transposes), {where(side, "== 1"), where(side, "> 1")}});
  return cases;
}

std::vector<GemmCase> clustered_cases() {
  const std::vector<Assignments> sizes = {
      {"M=131", "N=77", "K=301"},
      {"M=132", "N=196", "K=300", "lda=304", "ldb=308", "ldc=212", "accumulate=yes", "batch=3"},
  };
  const std::string cluster = "REDUCTION == 'cluster' && ";
  std::vector<GemmCase> cases;
  for (const Assignments& transposes : all_transposes()) {
    Assignments wheres = {cluster + "SPLIT_K == 2 && LOADING == 'registers'",
                          cluster + "SPLIT_K == 8 && LOADING == 'async'",
                          cluster + "SPLIT_K == 8 && SHAPE == 'compiled'"};
    cases.push_back({joined(sizes[0], transposes), wheres});
    wheres.push_back(cluster + "LOADING == 'bulk'");
    cases.push_back({joined(sizes[1], transposes), wheres});
  }
  return cases;
}

std::vector<GemmCase> packed_cases() {
  const std::vector<Assignments> sizes = {
      {"M=61", "N=67", "K=150"},
      {"M=35", "N=57", "K=70", "batch=2", "stride_b=0"},
      {"M=28", "N=73", "K=13", "lda=35", "ldb=81", "accumulate=yes", "batch=2", "stride_a=0"},
  };
  const Assignments ways = {
      "PACKED == 'a' && LOADING == 'async'",
      "PACKED == 'b' && LOADING == 'registers'",
      "PACKED == 'both' && LOADING == 'async' && SHAPE == 'compiled'",
      "PACKED == 'both' && LOADING == 'registers' && FRAGMENTS == 2",
  };
  std::vector<GemmCase> cases;
  for (const Assignments& transposes : all_transposes())
    for (const Assignments& size : sizes) cases.push_back({joined(size, transposes), ways});
  return cases;
}

std::vector<GemmCase> mma_cases() {
  const std::vector<Assignments> sizes = {
      {"M=131", "N=77", "K=45", "type_a=bfloat16"},                // accesses of two bytes
      {"M=128", "N=192", "K=128", "type_a=float16"},               // no edges
      {"M=66", "N=102", "K=266", "lda=272", "ldb=276", "ldc=112",  // accesses of four bytes, gaps
       "type_a=bfloat16", "accumulate=yes"},
      {"M=36", "N=76", "K=140", "batch=3", "type_a=float16", "type_c=float32"},  // of eight
      {"M=24", "N=72", "K=136", "lda=139", "batch=2", "stride_b=0", "type_a=bfloat16"},
  };
  const Assignments ways = {
      "LOADING == 'registers' && SPLIT_K == 1",
      "LOADING == 'async' && STAGES == 2 && SPLIT_K == 1 && FRAGMENTS == 2",
      "LOADING == 'async' && STAGES == 4 && SPLIT_K == 1",
      "LOADING == 'async' && SPLIT_K > 1 && REDUCTION == 'block'",
      "SPLIT_K > 1 && REDUCTION == 'launch'",
  };
  std::vector<GemmCase> cases;
  for (const Assignments& transposes : all_transposes())
    for (const Assignments& size : sizes) cases.push_back({joined(size, transposes), ways});
  return cases;
}

GemmCase blocked_snippet_case() {
  return {{"M=33", "N=68", "K=64", "batch=2", "ldc=72", "accumulate=yes"},
          {"SPLIT_K == 1", "REDUCTION == 'launch'"}};
}

GemmCase thin_snippet_case() {
  return {{"M=67", "N=11", "K=300", "batch=2"}, {"SPLIT_K == 1", "SPLIT_K > 1"}};
}

GemmCase mma_snippet_case() {
  return {{"M=33", "N=72", "K=200", "batch=2", "ldc=80", "accumulate=yes", "type_a=float16"},
          {"SPLIT_K == 1", "REDUCTION == 'launch'"}};
}

Implementation with_fewer_gemm_values(Implementation implementation) {
  if (implementation.name == "mma")
    return with_values(std::move(implementation), {{"BLOCK_M", {16, 32, 64}},
                                                   {"BLOCK_N", {16, 64, 96}},
                                                   {"STAGES", {2, 4}},
                                                   {"SPLIT_K", {1, 2, 4}},
                                                   {"MIN_BLOCKS", {1}}});
  if (implementation.name != "blocked") return implementation;
  return with_values(std::move(implementation), {{"BLOCK_M", {32, 64}},
                                                 {"BLOCK_N", {32, 64, 96}},
                                                 {"BLOCK_K", {8, 16}},
                                                 {"THREAD_N", {4, 8, 12}},
                                                 {"SPLIT_K", {1, 2, 8}},
                                                 {"MIN_BLOCKS", {1}}});
}

Implementation with_boxes(Implementation implementation) {
  return with_values(std::move(implementation), {{"BLOCK_M", {32, 64, 128}},
                                                 {"BLOCK_N", {32, 64, 96, 256}},
                                                 {"LOADING", {"registers", "bulk"}},
                                                 {"SPLIT_K", {1, 2, 8}},
                                                 {"MIN_BLOCKS", {1}}});
}

}  // namespace tilewright::test
