#include "tools/print/limits.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "definition/problem.hpp"

namespace tilewright::tools {
namespace {

// Additions and multiplications per clock and SM. 0: the device has no such unit.
struct Throughput {
  int capability;
  int fp64, fp32, tf32, fp16, fp8, int8;
};
constexpr std::array kThroughputs = {Throughput{80, 128, 128, 1024, 2048, 0, 4096},
                                     Throughput{90, 256, 256, 2048, 4096, 8192, 8192}};

struct Arithmetic {
  const char* name;
  int Throughput::*operations;
};

std::string label_of(const Operation& operation, const Problem& problem, const char* name) {
  const auto value = find_value(operation, problem, name);
  return value ? to_text(*value) : "";
}

// By the wider of the two types that are multiplied.
std::optional<Arithmetic> of_products(const std::string& a, const std::string& b,
                                      const std::string& precision) {
  const auto either = [&](std::string_view type) { return a == type || b == type; };
  if (precision == "float64" || either("float64")) return Arithmetic{"FP64", &Throughput::fp64};
  if (precision == "tf32") return Arithmetic{"TF32", &Throughput::tf32};
  if (either("float32")) return Arithmetic{"FP32", &Throughput::fp32};
  if (either("bfloat16")) return Arithmetic{"BF16", &Throughput::fp16};
  if (either("float16")) return Arithmetic{"FP16", &Throughput::fp16};
  if (either("int8")) return Arithmetic{"INT8", &Throughput::int8};
  if (a.starts_with("float8")) return Arithmetic{"FP8", &Throughput::fp8};
  return std::nullopt;
}

std::optional<Arithmetic> of_arguments(const Operation& operation, const Problem& problem) {
  const Scope scope = scope_over({&problem.values});
  std::optional<Arithmetic> widest;
  for (const Argument& argument : operation.arguments) {
    const std::string type(to_text(type_of(argument, scope)));
    if (type == "float64") return Arithmetic{"FP64", &Throughput::fp64};
    if (type.starts_with("float") || type == "bfloat16")
      widest = Arithmetic{"FP32", &Throughput::fp32};
  }
  return widest;
}

std::optional<Arithmetic> arithmetic_of(const Operation& operation, const Problem& problem) {
  const std::string a = label_of(operation, problem, "type_a");
  const std::string b = label_of(operation, problem, "type_b");
  if (!a.empty() && !b.empty()) return of_products(a, b, label_of(operation, problem, "precision"));
  try {
    return of_arguments(operation, problem);
  } catch (const std::exception&) {  // a stored problem of older definitions
    return std::nullopt;
  }
}

}  // namespace

std::optional<ArithmeticLimit> arithmetic_limit(const Operation& operation, const Problem& problem,
                                                const Device& device, double sm_mhz) {
  const auto known =
      std::ranges::find(kThroughputs, device.compute_capability, &Throughput::capability);
  const auto arithmetic = arithmetic_of(operation, problem);
  if (known == kThroughputs.end() || !arithmetic || sm_mhz <= 0) return std::nullopt;
  const double gflops = (*known).*(arithmetic->operations) * sm_mhz * device.sm_count / 1e3;
  if (gflops <= 0) return std::nullopt;
  return ArithmeticLimit{arithmetic->name, gflops};
}

}  // namespace tilewright::tools
