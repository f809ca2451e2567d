#include "tuner/plan/compile_request.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "definition/text/scanner.hpp"

namespace tilewright {
namespace {

bool joins_names(std::string_view text) {
  return std::ranges::any_of(std::array{"##", "%:%:", "\\\n", "\\\r"}, [&](const char* way) {
    return text.find(way) != std::string_view::npos;
  });
}

// Whether the name stands in the text by itself.
bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> unused_parameters(const KernelSource& source,
                                           const Implementation& implementation,
                                           const Operation& operation) {
  std::vector<std::string> texts = implementation.options;
  for (const Launch& launch : implementation.launches) texts.push_back(launch.entry);
  for (const ConstantSymbol& constant : implementation.constants) texts.push_back(constant.symbol);
  std::vector<std::string_view> code = {source.text};
  for (const auto& [name, text] : source.headers) code.push_back(text);
  // Others may be meant by headers that are not here, or by joining parts of a name. Keys of
  // bundles are made without the source.
  const bool may_have_others = source.text.empty() || !source.folders.empty() ||
                               !operation.hooks.empty() ||
                               std::ranges::any_of(texts,
                                                   [](const std::string& text) {
                                                     return text.starts_with("-include") ||
                                                            text.starts_with("--pre-include");
                                                   }) ||
                               std::ranges::any_of(code, joins_names);
  std::vector<std::string> unused;
  if (may_have_others) return unused;
  for (const Parameter& parameter : implementation.parameters) {
    const std::string& name = parameter.name;
    if (std::ranges::none_of(code, [&](std::string_view text) { return mentions(text, name); }) &&
        std::ranges::none_of(
            texts, [&](const std::string& text) { return text.find(name) != std::string::npos; }))
      unused.push_back(name);
  }
  return unused;
}

std::vector<std::string> parameters_without_code(const KernelSource& source,
                                                 const Implementation& implementation,
                                                 const Operation& operation) {
  std::set<std::string> used = implementation.max_registers.names();
  for (const Parameter& parameter : implementation.parameters)
    used.merge(parameter.compiled_in.names());
  for (const CompiledIn& item : implementation.compiled_in) {
    used.merge(item.when.names());
    if (item.term) used.merge(item.term->names());
  }
  for (const SourceUnit& unit : implementation.units) {
    if (unit.max_registers) used.merge(unit.max_registers->names());
    for (const auto& [name, value] : unit.macros) used.merge(value.names());
  }
  // Which entries and variables the code has.
  for (const Launch& launch : implementation.launches) used.merge(launch.when.names());
  for (const ConstantSymbol& constant : implementation.constants) used.merge(constant.when.names());
  std::vector<std::string> unused = unused_parameters(source, implementation, operation);
  for (const KernelSource& unit : source.units) {
    const std::vector<std::string> its = unused_parameters(unit, implementation, operation);
    std::erase_if(unused, [&](const std::string& name) { return !std::ranges::count(its, name); });
  }
  std::erase_if(unused, [&](const std::string& name) {
    const auto parameter = std::ranges::find(implementation.parameters, name, &Parameter::name);
    return used.contains(name) || parameter->values.size() < 2;
  });
  return unused;
}

}  // namespace tilewright
