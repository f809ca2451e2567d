#include "bench/peers/cases/gemm_shape.hpp"

#include <algorithm>

namespace tilewright::bench {
namespace {

Factor factor(const Field& field, std::size_t argument) {
  Factor result;
  const auto& bytes = field.operands().before()[argument];
  std::copy_n(bytes.begin(), std::min(bytes.size(), result.bytes.size()), result.bytes.begin());
  return result;
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

// A problem leaves out what was always meant before there were several types.
std::string label_in(const Settings& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? "float32" : to_text(found->second);
}

ElementType type_in(const Settings& values, const char* name) {
  const std::string label = label_in(values, name);
  const auto type = type_named(label);
  if (!type) throw CannotCompete("has no type " + label);
  return *type;
}

}  // namespace

GemmShape gemm_shape(const Problem& problem) {
  const Settings& values = problem.values;
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
  shape.type_a = type_in(values, "type_a");
  shape.type_b = type_in(values, "type_b");
  shape.type_c = type_in(values, "type_c");
  shape.precision = label_in(values, "precision");
  shape.bias_gelu = has_bias_gelu(values);
  return shape;
}

GemmShape gemm_shape(const Field& field) {
  GemmShape shape = gemm_shape(field.problem());
  shape.factor_type = field.operands().plan()[kAlpha].type;
  shape.alpha = factor(field, kAlpha);
  if (to_text(field.problem().values.at("accumulate")) == "yes") shape.beta = factor(field, kBeta);
  return shape;
}

bool is_of_multiply_adds(const Problem& problem) {
  if (problem.operation != "gemm") return true;
  const Settings& values = problem.values;
  const std::string precision = label_in(values, "precision");
  return (precision == "float32" || precision == "float64") &&
         size_of(type_in(values, "type_a")) >= 4 && size_of(type_in(values, "type_b")) >= 4;
}

void set_integer_factors_to_one(std::vector<PlannedBuffer>& buffers) {
  for (const std::size_t factor : {kAlpha, kBeta}) {
    PlannedBuffer& buffer = buffers.at(factor);
    if (is_integer(buffer.type)) buffer.fill = {.kind = Fill::Kind::constant, .low = 1};
  }
}

}  // namespace tilewright::bench
