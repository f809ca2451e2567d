#include <fmt/format.h>

#include "definition/library/hook.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/hexadecimal.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// The label becomes part of file names, of macro names or of a snippet's label.
std::string read_label(const TableReader& table, const std::string& key) {
  std::string label = table.text(key);
  if (!is_label(label))
    table.fail(table.need(key),
               fmt::format("'{}' is not a lower-case word of letters, digits and '_'", label));
  return label;
}

Hook read_hook(const TableReader& table) {
  Hook hook;
  hook.name = read_label(table, "name");
  hook.about = table.text("about", "");
  if (table.has("type")) hook.type = type_expression(table, "type");
  std::vector<std::string> taken = {"value", "real"};
  for (const TomlNode& node : table.elements("coordinates")) {
    const TableReader reader(table.file(), node, "an element of 'coordinates'", {"name", "count"});
    hook.coordinates.push_back({reader.identifier("name"), reader.expression("count")});
    take_name(reader, hook.coordinates.back().name, taken);
  }
  return hook;
}

// A string in three quotes begins on the next line if nothing follows the quotes.
std::size_t first_line(const TomlFile& file, const TomlNode& text) {
  const std::size_t line = text.position.line;
  if (line < 1 || line > file.lines->size()) return 1;
  const std::string& begin = (*file.lines)[line - 1];
  const std::size_t last = begin.find_last_not_of(" \t\r");
  const bool goes_on =
      last != std::string::npos && last >= 2 &&
      (begin.compare(last - 2, 3, "'''") == 0 || begin.compare(last - 2, 3, "\"\"\"") == 0) &&
      last - 2 + 1 == text.position.column;
  return goes_on ? line + 1 : line;
}

void check_argument(const TableReader& table, const TomlNode& node, const Argument& argument) {
  if (argument.role != ArgumentRole::input || argument.kind == ArgumentKind::array)
    table.fail(node, fmt::format("'{}' must be an input, a buffer or a scalar", argument.name));
  if (argument.computed_type)
    table.fail(node,
               fmt::format("'{}' has the unknown type '{}'; a snippet's arguments are float32, "
                           "float64 or integers",
                           argument.name, argument.computed_type->text()));
  if (argument.when.text() != Expression{1}.text())
    table.fail(node, fmt::format("'{}' has a 'when', which is for an operation's arguments",
                                 argument.name));
  if (is_narrow_float(argument.type) || facts_of(argument.type).kind == ElementKind::complex)
    table.fail(node, fmt::format("'{}' is {}; a snippet's arguments are float32, float64 or "
                                 "integers",
                                 argument.name, to_text(argument.type)));
  if (is_filled_by_kernel(node))
    table.fail(node, fmt::format("the argument '{}' of a snippet cannot be filled by a kernel",
                                 argument.name));
  if (argument.name == "value" || argument.name == "real" || argument.name == "sigmoid")
    table.fail(node, fmt::format("the name '{}' is reserved; choose another", argument.name));
}

// The part of a label behind the name, or nothing.
std::string read_hash(const TableReader& table, const std::string& key) {
  std::string hash = table.text(key, "");
  if (!hash.empty() && !is_hexadecimal(hash, 16))
    table.fail(
        table.need(key),
        fmt::format("'{}' is '{}'; expected the 16 hexadecimal digits of a label", key, hash));
  return hash;
}

}  // namespace

std::vector<Hook> read_hooks(const TableReader& operation) {
  std::vector<Hook> hooks;
  std::vector<std::string> taken;
  for (const TomlNode& node : operation.elements("hook")) {
    const TableReader table(operation.file(), node, "[[operation.hook]]",
                            {"name", "about", "type", "coordinates"});
    hooks.push_back(read_hook(table));
    take_name(table, hooks.back().name, taken);
  }
  return hooks;
}

Snippet read_snippet_table(const TomlFile& file, const TomlNode& node) {
  const TableReader table(file, node, "[snippet]",
                          {"name", "hook", "about", "same_as", "code", "argument"});
  Snippet snippet;
  snippet.file = file.path;
  snippet.name = read_label(table, "name");
  if (snippet.name == kNoSnippet)
    table.fail(table.need("name"),
               fmt::format("'{}' means no snippet; choose another name", kNoSnippet));
  snippet.hook = read_label(table, "hook");
  snippet.about = table.text("about", "");
  snippet.same_as = read_hash(table, "same_as");
  snippet.code = table.text("code");
  snippet.line = first_line(file, table.need("code"));
  snippet.arguments = read_arguments(table, "[[snippet.argument]]");
  for (std::size_t i = 0; i < snippet.arguments.size(); ++i)
    check_argument(table, table.elements("argument")[i], snippet.arguments[i]);
  return snippet;
}

Snippet read_snippet(const std::filesystem::path& path) {
  const Manifest manifest = read_manifest(path);
  if (!manifest.snippet) throw InputError(fmt::format("{}: has no [snippet]", path.string()));
  return *manifest.snippet;
}

}  // namespace tilewright
