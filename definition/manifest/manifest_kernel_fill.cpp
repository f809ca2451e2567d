#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/manifest_parts.hpp"

namespace tilewright {
namespace {

// One thread for each element, unless the manifest says otherwise.
constexpr int kBlock = 256;

Launch usual_launch(const Argument& argument) {
  Launch launch;
  launch.grid[0] =
      Expression::parse(fmt::format("max(1, ceil_div({}, {}))", argument.count.text(), kBlock));
  launch.block[0] = Expression{kBlock};
  return launch;
}

const Argument* argument_named(const Operation& operation, const std::string& name) {
  const auto found = std::ranges::find(operation.arguments, name, &Argument::name);
  return found == operation.arguments.end() ? nullptr : &*found;
}

// The kernel gets its own argument, and inputs that are there before it runs: those that no kernel
// fills, and those of earlier fills.
void check_arguments(const TableReader& fill, const Launch& launch, const Argument& filled,
                     const Operation& operation, const std::vector<std::string>& later) {
  bool has_own = false;
  for (const LaunchArgument& launched : launch.arguments) {
    if (uses_workspace(launched)) fill.fail(fill.node(), "a kernel that fills has no workspace");
    const Argument* const argument = argument_named(operation, launched.name);
    if (argument == nullptr) continue;
    const bool is_own = argument->name == filled.name;
    has_own |= is_own && launched.kind == LaunchArgument::Kind::argument;
    if (is_own) continue;
    if (argument->role == ArgumentRole::output)
      fill.fail(fill.need("arguments"),
                fmt::format("'{}' is an output, which has no contents yet", argument->name));
    if (std::ranges::find(later, argument->name) != later.end())
      fill.fail(fill.need("arguments"),
                fmt::format("'{}' is filled by a kernel after '{}'", argument->name, filled.name));
  }
  if (!has_own)
    fill.fail(fill.need("arguments"),
              fmt::format("'arguments' lacks '{}', which the kernel fills", filled.name));
}

Reference read_kernel_fill(const TableReader& fill, const Argument& argument,
                           const Operation& operation) {
  Reference made;
  const bool has_source = fill.has("source");
  if (!has_source && operation.reference.source.empty())
    fill.fail(fill.node(),
              "a fill by a kernel needs 'source', because there is no reference kernel");
  made.source = has_source ? source_of(fill, "source") : operation.reference.source;
  made.include_directories = fill.has("include") ? read_include_directories(fill)
                                                 : operation.reference.include_directories;
  CompilerOptions options = read_compiler_options(fill, DeviceCompiler::nvrtc);
  made.options = fill.has("options") ? std::move(options.options) : operation.reference.options;
  std::ranges::move(options.include_directories, std::back_inserter(made.include_directories));
  made.launches = {read_fill_launch(fill, usual_launch(argument))};
  return made;
}

}  // namespace

bool is_filled_by_kernel(const TomlNode& argument) {
  const TomlNode* const kind = find_node(argument, "fill.kind");
  return kind != nullptr && kind->text == "kernel";
}

std::map<std::string, Reference> read_kernel_fills(const TableReader& table,
                                                   const Operation& operation) {
  const std::vector<TomlNode>& nodes = table.elements("argument");
  std::vector<std::string> later;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (is_filled_by_kernel(nodes[i])) later.push_back(operation.arguments[i].name);
  std::map<std::string, Reference> fills;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Argument& argument = operation.arguments[i];
    if (std::ranges::find(later, argument.name) == later.end()) continue;
    const TableReader fill(table.file(), nodes[i].entries.at("fill"), "'fill'",
                           {"kind", "entry", "source", "include", "options", "grid", "block",
                            "shared_bytes", "arguments"});
    if (argument.kind != ArgumentKind::buffer)
      fill.fail(fill.node(), "a kernel fills buffers only");
    std::erase(later, argument.name);
    Reference made = read_kernel_fill(fill, argument, operation);
    check_arguments(fill, made.launches.front(), argument, operation, later);
    fills.emplace(argument.name, std::move(made));
  }
  return fills;
}

}  // namespace tilewright
