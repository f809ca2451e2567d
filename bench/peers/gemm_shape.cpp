#include "bench/peers/gemm_shape.hpp"

#include <cstring>

namespace tilewright::bench {
namespace {

float scalar(const Field& field, std::size_t argument) {
  float value = 0;
  std::memcpy(&value, field.operands().host()[argument].data(), sizeof value);
  return value;
}

// Whether the problem's epilogue is the snippet bias_gelu, given by its name or its label.
bool has_bias_gelu(const Settings& values) {
  const auto found = values.find("epilogue");
  if (found == values.end()) return false;
  const std::string name = to_text(found->second);
  if (name == "none") return false;
  if (!name.starts_with("bias_gelu")) throw CannotCompete("has no epilogue " + name);
  return true;
}

}  // namespace

GemmShape gemm_shape(const Field& field) {
  const Settings& values = field.problem().values;
  const auto number = [&](const char* name) { return std::get<std::int64_t>(values.at(name)); };
  const auto is_yes = [&](const char* name) {
    return std::get<std::string>(values.at(name)) == "yes";
  };
  GemmShape shape;
  shape.m = number("M");
  shape.n = number("N");
  shape.k = number("K");
  shape.batch = number("batch");
  shape.lda = number("lda");
  shape.ldb = number("ldb");
  shape.ldc = number("ldc");
  shape.stride_a = number("stride_a");
  shape.stride_b = number("stride_b");
  shape.stride_c = number("stride_c");
  shape.transpose_a = is_yes("transpose_a");
  shape.transpose_b = is_yes("transpose_b");
  shape.alpha = scalar(field, kAlpha);
  shape.beta = is_yes("accumulate") ? scalar(field, kBeta) : 0;
  shape.bias_gelu = has_bias_gelu(values);
  return shape;
}

}  // namespace tilewright::bench
