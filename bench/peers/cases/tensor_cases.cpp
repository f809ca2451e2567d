#include "bench/peers/cases/tensor_cases.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace tilewright::bench {
namespace {

using Number = std::int64_t;

struct Size {
  Number m = 0;
  Number n = 0;
  Number k = 0;
  Number batch = 1;
  bool has_bias_gelu = false;
};

// How a case's types are named, and what of the problem says them.
struct Kind {
  const char* name;
  Settings types;
};

// How B is stored.
enum class Layout { k_by_n, n_by_k };

Case product(const Kind& kind, const Size& size, Layout layout) {
  Case item = {fmt::format("tensor-{}-{}x{}x{}", kind.name, size.m, size.n, size.k), "gemm",
               kind.types};
  item.problem.insert({{"M", size.m}, {"N", size.n}, {"K", size.k}});
  if (size.batch > 1) {
    item.problem["batch"] = size.batch;
    item.name += fmt::format("-b{}", size.batch);
  }
  if (layout == Layout::n_by_k) {
    item.problem["transpose_b"] = "yes";
    item.name += "-nt";
  }
  if (size.has_bias_gelu) {
    item.problem["epilogue"] = "bias_gelu";
    item.name += "-bias_gelu";
  }
  return item;
}

Size cube(Number side) {
  return {side, side, side};
}

std::vector<Size> sizes_of_16_bits() {
  std::vector<Size> sizes = {cube(1024), cube(2048),        cube(3000),        cube(4096),
                             cube(8192), {4096, 4096, 512}, {2500, 2500, 100}, {5120, 5120, 1280}};
  for (const Number rows : {1, 4, 16, 64}) sizes.push_back({rows, 4096, 4096});
  for (const Size& size : {Size{300, 1000, 2000}, Size{777, 999, 1234}, Size{1048, 2056, 1096},
                           Size{128, 28672, 8192}, Size{8192, 3584, 8192}, Size{512, 512, 512, 64},
                           Size{2048, 2048, 2048, 1, true}, Size{8192, 8192, 1024, 1, true}})
    sizes.push_back(size);
  return sizes;
}

void add(std::vector<Case>& list, const Kind& kind, const std::vector<Size>& sizes,
         std::initializer_list<Layout> layouts) {
  for (const Size& size : sizes)
    for (const Layout layout : layouts) list.push_back(product(kind, size, layout));
}

}  // namespace

std::vector<Case> tensor_cases() {
  std::vector<Case> list;
  const auto both = {Layout::k_by_n, Layout::n_by_k};
  add(list, {"bf16", {{"type_a", "bfloat16"}}}, sizes_of_16_bits(), both);
  add(list, {"fp16", {{"type_a", "float16"}}}, sizes_of_16_bits(), both);
  add(list, {"tf32", {{"precision", "tf32"}}}, {cube(2048), cube(4096)}, both);
  add(list, {"fp8", {{"type_a", "float8_e4m3"}, {"type_c", "bfloat16"}}},
      {cube(2048), cube(4096), cube(8192), {16, 4096, 4096}}, {Layout::n_by_k});
  add(list, {"int8", {{"type_a", "int8"}, {"type_c", "int32"}, {"precision", "int32"}}},
      {cube(4096)}, {Layout::n_by_k});
  return list;
}

}  // namespace tilewright::bench
