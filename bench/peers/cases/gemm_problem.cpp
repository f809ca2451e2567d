#include "bench/peers/cases/gemm_problem.hpp"

namespace tilewright::bench {
namespace {

// A problem leaves out what was always meant before there were several types.
std::string label_in(const Settings& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? "float32" : to_text(found->second);
}

bool is_narrow(const Settings& values, const char* name) {
  const auto type = type_named(label_in(values, name));
  return type && size_of(*type) < 4;
}

}  // namespace

bool is_of_multiply_adds(const Problem& problem) {
  if (problem.operation != "gemm") return true;
  const Settings& values = problem.values;
  const std::string precision = label_in(values, "precision");
  return (precision == "float32" || precision == "float64") && !is_narrow(values, "type_a") &&
         !is_narrow(values, "type_b");
}

void set_integer_factors_to_one(std::vector<PlannedBuffer>& buffers) {
  for (const std::size_t factor : {kAlpha, kBeta}) {
    PlannedBuffer& buffer = buffers.at(factor);
    if (is_integer(buffer.type)) buffer.fill = {.kind = Fill::Kind::constant, .low = 1};
  }
}

}  // namespace tilewright::bench
