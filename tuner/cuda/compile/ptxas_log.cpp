#include "tuner/cuda/compile/ptxas_log.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>

#include "tuner/backend/notes.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::string_view kEntryLine = "Compiling entry function '";
constexpr std::string_view kPropertiesLine = "Function properties for ";

void for_each_line(std::string_view text, const auto& function) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    function(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The number in front of `words`, as in "256 bytes smem".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t last_other = line.substr(0, end).find_last_not_of("0123456789");
  const std::size_t begin = last_other == std::string_view::npos ? 0 : last_other + 1;
  std::int64_t number = 0;
  if (std::from_chars(line.data() + begin, line.data() + end, number).ec != std::errc{})
    return std::nullopt;
  return number;
}

std::optional<std::int64_t> hexadecimal_after(std::string_view line, std::string_view words) {
  const std::size_t begin = line.find(words);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(begin + words.size());
  std::int64_t number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number, 16).ec != std::errc{})
    return std::nullopt;
  return number;
}

// The text after `words`, up to a quote or to the end of the line.
std::optional<std::string> name_after(std::string_view line, std::string_view words) {
  const std::size_t begin = line.find(words);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(begin + words.size());
  return std::string(rest.substr(0, std::min(rest.find_first_of("'\r"), rest.size())));
}

void read_stack(std::string_view line, Resources& resources) {
  const auto stack = number_before(line, " bytes stack frame");
  if (!stack) return;
  resources.stack_bytes = std::max(resources.stack_bytes, *stack);
  resources.spill_bytes = number_before(line, " bytes spill stores").value_or(0) +
                          number_before(line, " bytes spill loads").value_or(0);
}

void read_use(std::string_view line, Resources& resources) {
  const auto registers = number_before(line, " registers");
  if (!registers || line.find("Used ") == std::string_view::npos) return;
  resources.registers = static_cast<int>(*registers);
  resources.shared_bytes = number_before(line, " bytes smem").value_or(0);
  const auto cumulative = number_before(line, " bytes cumulative stack size");
  resources.stack_bytes = std::max(resources.stack_bytes, cumulative.value_or(0));
}

constexpr std::string_view kUnnamed = "(anonymous namespace)::";

// "k(float*)" and "(anonymous namespace)::k(float*)" mean k. A kernel of a template begins with its
// result, "void k<4>(float*)".
bool has_name(std::string_view declaration, std::string_view name) {
  while (declaration.starts_with(kUnnamed)) declaration.remove_prefix(kUnnamed.size());
  return declaration.size() > name.size() && declaration.starts_with(name) &&
         declaration[name.size()] == '(';
}

}  // namespace

// A log names an entry, then gives its properties. The properties of functions that it calls
// without inlining follow under their own names; they are ignored.
std::map<std::string, Resources> parse_ptxas_log(std::string_view log) {
  std::map<std::string, Resources> entries;
  Resources* entry = nullptr;
  std::string entry_name;
  bool properties_of_entry = false;
  for_each_line(log, [&](std::string_view line) {
    if (const auto name = name_after(line, kEntryLine)) {
      entry_name = *name;
      entry = &entries[entry_name];
      properties_of_entry = false;
      return;
    }
    if (const auto name = name_after(line, kPropertiesLine)) {
      properties_of_entry = *name == entry_name;
      return;
    }
    if (entry == nullptr) return;
    if (properties_of_entry) read_stack(line, *entry);
    read_use(line, *entry);
  });
  return entries;
}

std::string static_shared_note(std::string_view log) {
  std::map<std::string, std::int64_t> large;
  for (const auto& [symbol, resources] : parse_ptxas_log(log))
    if (resources.shared_bytes > kMostStaticSharedBytes) large[symbol] = resources.shared_bytes;
  bool has_other_error = false;
  for_each_line(log, [&](std::string_view line) {
    if (line.find("error") == std::string_view::npos) return;
    const auto kernel = name_after(line, "Entry function '");
    const auto bytes = hexadecimal_after(line, "uses too much shared data (0x");
    if (kernel && bytes)
      large[*kernel] = *bytes;
    else
      has_other_error = true;
  });
  std::string note;
  for (const auto& [symbol, bytes] : large)
    if (!has_other_error)
      note += fmt::format(
          "kernel {} has {} bytes of static shared memory, and the compiler accepts at most {}; "
          "declare it as `extern __shared__` and give the launch its size as `shared_bytes`\n",
          readable(symbol), bytes, kMostStaticSharedBytes);
  return note;
}

std::string stable_log(std::string_view log) {
  std::string stable;
  for_each_line(log, [&](std::string_view line) {
    if (line.find("Compile time = ") != std::string_view::npos) return;
    stable.append(line) += '\n';
  });
  return stable;
}

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
