#include "tools/print/device_limits.hpp"

#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace tilewright::tools {
namespace {

// Operations of one SM in one cycle; a multiplication with an addition counts as two. FP32: CUDA
// programming guide, "Throughput of native arithmetic instructions". Others: dense products of
// tensor cores, from the white papers of the architectures.
struct SmRate {
  int compute_capability = 0;
  std::string_view name;
  double per_cycle = 0;
};
constexpr auto kSmRates = std::to_array<SmRate>({
    {70, "FP32", 128},   {75, "FP32", 128},   {80, "FP32", 128},  {86, "FP32", 256},
    {89, "FP32", 256},   {90, "FP32", 256},   {100, "FP32", 256}, {103, "FP32", 256},
    {120, "FP32", 256},  {70, "FP16", 1024},  {80, "FP64", 128},  {80, "TF32", 1024},
    {80, "FP16", 2048},  {80, "INT8", 4096},  {90, "FP64", 256},  {90, "TF32", 2048},
    {90, "FP16", 4096},  {90, "FP8", 8192},   {90, "INT8", 8192}, {100, "TF32", 4096},
    {100, "FP16", 8192}, {100, "FP8", 16384},
});

// Of whole GPUs, as their data sheets say.
constexpr auto kMemoryRates = std::to_array<std::pair<std::string_view, double>>({
    {"NVIDIA H200", 4800},
    {"NVIDIA H100 80GB HBM3", 3350},
    {"NVIDIA H100 PCIe", 2000},
    {"NVIDIA H100 NVL", 3900},
    {"NVIDIA A100-SXM4-40GB", 1555},
    {"NVIDIA A100-SXM4-80GB", 2039},
    {"NVIDIA A100-PCIE-40GB", 1555},
    {"NVIDIA A100 80GB PCIe", 1935},
    {"NVIDIA L40S", 864},
    {"NVIDIA L4", 300},
    {"Tesla V100-SXM2-16GB", 900},
    {"Tesla V100-SXM2-32GB", 900},
    {"Tesla T4", 320},
    {"NVIDIA GeForce RTX 3090", 936},
    {"NVIDIA GeForce RTX 4090", 1008},
    {"NVIDIA GeForce RTX 5090", 1792},
});

// The unit that computes with a type or precision of this label; empty: none of its own.
std::string_view unit_for(std::string_view label) {
  if (label == "tf32") return "TF32";
  if (label == "float16" || label == "bfloat16") return "FP16";
  if (label.starts_with("float8")) return "FP8";
  if (label == "int8") return "INT8";
  if (label == "float64") return "FP64";
  return "";
}

std::set<std::string_view> units_for(const Problem& problem) {
  std::set<std::string_view> units = {"FP32"};
  for (const auto& [name, value] : problem.values)
    if (const auto* label = std::get_if<std::string>(&value)) units.insert(unit_for(*label));
  return units;
}

}  // namespace

DeviceLimits limits_of(const Device& device, const Problem& problem, double sm_mhz) {
  DeviceLimits limits;
  if (runs_on_cpu(device.kind) || !device.partition.empty()) return limits;
  const std::set<std::string_view> units = units_for(problem);
  for (const SmRate& rate : kSmRates)
    if (sm_mhz > 0 && rate.compute_capability == device.compute_capability &&
        units.contains(rate.name))
      limits.compute.push_back(
          {std::string(rate.name) + (rate.name == "FP32" ? "" : " tensor cores"),
           rate.per_cycle * device.sm_count * sm_mhz / 1e3});
  for (const auto& [name, gigabytes] : kMemoryRates)
    if (device.name == name) limits.memory_gigabytes = gigabytes;
  return limits;
}

std::optional<ComputeLimit> product_limit(const Device& device, const Problem& problem,
                                          double sm_mhz) {
  const auto label = [&](const char* name) -> std::string {
    const auto value = problem.values.find(name);
    return value == problem.values.end() ? "" : to_text(value->second);
  };
  // Of two types that are multiplied, the one whose unit takes both.
  constexpr std::array kWidestFirst = {"float64", "float32", "bfloat16", "float16", "int8"};
  std::string type = label("type_a");
  for (const char* wide : kWidestFirst)
    if (label("type_a") == wide || label("type_b") == wide) {
      type = wide;
      break;
    }
  if (label("precision") == "tf32") type = "tf32";
  // A convolution in 16 bits multiplies in float32.
  if (label("type") == "float64") type = "float64";
  const std::string_view unit = unit_for(type);
  for (const ComputeLimit& limit : limits_of(device, problem, sm_mhz).compute)
    if (limit.name.starts_with(unit.empty() ? "FP32" : unit)) return limit;
  return std::nullopt;
}

}  // namespace tilewright::tools
