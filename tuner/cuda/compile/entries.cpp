#include "tuner/cuda/compile/entries.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "tuner/backend/entry_note.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::string_view kUnnamed = "(anonymous namespace)::";

// "k(float*)" and "(anonymous namespace)::k(float*)" mean k. A kernel of a template begins with its
// result, "void k<4>(float*)".
bool has_name(std::string_view declaration, std::string_view name) {
  while (declaration.starts_with(kUnnamed)) declaration.remove_prefix(kUnnamed.size());
  return declaration.size() > name.size() && declaration.starts_with(name) &&
         declaration[name.size()] == '(';
}

}  // namespace

bool sets_standard(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-std") || option.starts_with("--std");
  });
}

bool is_name_expression(const std::string& entry) {
  return entry.find('<') != std::string::npos || entry.find("::") != std::string::npos;
}

std::string readable(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return text ? text.get() : symbol;
}

std::vector<std::string> symbols_meant(const std::string& name,
                                       const std::map<std::string, Resources>& kernels) {
  if (kernels.contains(name)) return {name};
  std::vector<std::string> symbols;
  for (const auto& [symbol, resources] : kernels)
    if (has_name(readable(symbol), name)) symbols.push_back(symbol);
  return symbols;
}

void add_entry(const std::string& name, const std::vector<std::string>& meant,
               const std::map<std::string, Resources>& kernels, CompileResult& result) {
  if (meant.size() == 1) {
    result.entries[name] = {meant.front(), kernels.at(meant.front())};
    return;
  }
  std::vector<std::string> names;
  for (const std::string& symbol : meant) names.push_back(readable(symbol));
  if (meant.empty())
    for (const auto& [symbol, resources] : kernels) names.push_back(readable(symbol));
  result.log += meant.empty() ? missing_note(name, names) : ambiguous_note(name, names);
}

}  // namespace tilewright::cuda
