#include "definition/library/hook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "definition/manifest/manifest.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// FNV-1a of 64 bits (Fowler, Noll, Vo). It is not meant for security.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3;
  }
  return hash;
}

template <class... Parts>
[[noreturn]] void fail(const Snippet& snippet, fmt::format_string<Parts...> sentence,
                       Parts&&... parts) {
  throw bad_input("{}: snippet '{}' {}", snippet.file.string(), snippet.name,
                  fmt::format(sentence, std::forward<Parts>(parts)...));
}

Hook& hook_for(Operation& operation, const Snippet& snippet) {
  if (Hook* const hook = find_named(operation.hooks, snippet.hook)) return *hook;
  fail(snippet, "is for the hook '{}', which operation '{}' does not have{}", snippet.hook,
       operation.name, suggestion(snippet.hook, names_of(operation.hooks, &Hook::name)));
}

// Collects the names in an expression with their offsets in its text.
void collect_names(const ExpressionNode& node, std::map<std::size_t, std::string>& names) {
  if (node.op == Operator::name) names[node.position] = node.text;
  for (const ExpressionNode& child : node.children) collect_names(child, names);
}

// Parses a text that is put together, and may exceed the limits of an expression though its parts
// do not. `what` is what the snippet gives.
Expression combined(const std::string& text, const std::string& what, const Snippet& snippet) {
  try {
    return Expression::parse_real(text);
  } catch (const ExpressionError& error) {
    fail(snippet, "makes {} too complex: {}", what, error.what());
  }
}

// A snippet's expression as one of the operation. Coordinates are replaced by their counts.
Expression in_operation(const Expression& expression, const std::string& what,
                        const Operation& operation, const Hook& hook, const Snippet& snippet) {
  std::map<std::size_t, std::string> names;
  collect_names(expression.root(), names);
  std::vector<std::string> known;
  for (const Coordinate& coordinate : hook.coordinates) known.push_back(coordinate.name);
  for (const Dimension& dimension : operation.dimensions) known.push_back(dimension.name);
  for (const Choice& choice : operation.choices) known.push_back(choice.name);
  std::string text = expression.text();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!is_among(name->second, known))
      fail(snippet, "needs '{}' for {}, which the hook '{}' of operation '{}' does not have{}",
           name->second, what, hook.name, operation.name, suggestion(name->second, known));
    if (const Coordinate* const coordinate = find_named(hook.coordinates, name->second))
      text.replace(name->first, name->second.size(), '(' + coordinate->count.text() + ')');
    if (text.size() > kLongestExpression) break;  // combined() says so
  }
  return combined(text, what, snippet);
}

Argument in_operation(Argument argument, const Operation& operation, const Hook& hook,
                      const Snippet& snippet) {
  if (find_named(hook.coordinates, argument.name) != nullptr)
    fail(snippet, "has an argument '{}', which is a coordinate of the hook '{}'", argument.name,
         hook.name);
  const auto bring = [&](Expression& one, const char* key) {
    const std::string what = fmt::format("the {} of '{}'", key, argument.name);
    one = in_operation(one, what, operation, hook, snippet);
  };
  bring(argument.count, "count");
  if (argument.value) bring(*argument.value, "value");
  if (argument.real.divisor) bring(*argument.real.divisor, "divisor");
  if (argument.real.computed) bring(*argument.real.computed, "value");
  for (const FillNumber& one : kFillNumbers)
    if (auto& number = argument.computed_fill.*one.computed) bring(*number, "fill");
  argument.name = hook_argument(hook, argument);
  return argument;
}

bool calls(const Implementation& implementation, const std::string& hook) {
  return std::ranges::any_of(implementation.launches, [&](const Launch& launch) {
    return std::ranges::any_of(launch.arguments, [&](const LaunchArgument& argument) {
      return argument.kind == LaunchArgument::Kind::argument && argument.name == hook;
    });
  });
}

bool names_snippet(const Hook& hook, const Settings& values) {
  const auto value = values.find(hook.name);
  return !hook.snippet && value != values.end() && value->second != Value{kNoSnippet};
}

Snippet find_snippet(const Hook& hook, const std::string& value,
                     const std::vector<Snippet>& known) {
  if (value.ends_with(".toml")) {
    Snippet snippet = read_snippet(value);
    if (snippet.hook == hook.name) return snippet;
    fail(snippet, "is for the hook '{}', not for '{}'", snippet.hook, hook.name);
  }
  std::vector<std::string> names = {kNoSnippet};
  for (const Snippet& snippet : known) {
    if (snippet.hook != hook.name) continue;
    if (snippet.name == value || snippet.label() == value) return snippet;
    names.push_back(snippet.name);
  }
  throw bad_input("{}={}: there is no such snippet; give FILE.toml or a name{}", hook.name, value,
                  suggestion(value, names));
}

Hook read_hook(const TableReader& table) {
  Hook hook;
  hook.name = table.label("name");
  hook.about = table.text("about", "");
  if (table.has("type")) hook.type = type_expression(table, "type");
  read_named(table, "coordinates", "an element of 'coordinates'", {"name", "count"},
             hook.coordinates,
             [](const TableReader& reader) {
               return Coordinate{reader.identifier("name"), reader.expression("count")};
             },
             {"value", "real"});
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
    table.fail(node, "'{}' must be an input, a buffer or a scalar", argument.name);
  if (argument.computed_type)
    table.fail(
        node,
        "'{}' has the unknown type '{}'; a snippet's arguments are float32, float64 or integers",
        argument.name, argument.computed_type->text());
  if (argument.when.text() != Expression{1}.text())
    table.fail(node, "'{}' has a 'when', which is for an operation's arguments", argument.name);
  if (is_narrow_float(argument.type) || facts_of(argument.type).kind == ElementKind::complex)
    table.fail(node, "'{}' is {}; a snippet's arguments are float32, float64 or integers",
               argument.name, to_text(argument.type));
  if (is_filled_by_kernel(node))
    table.fail(node, "the argument '{}' of a snippet cannot be filled by a kernel", argument.name);
  if (argument.name == "value" || argument.name == "real" || argument.name == "sigmoid")
    table.fail(node, "the name '{}' is reserved; choose another", argument.name);
}

// The part of a label behind the name, or nothing.
std::string read_hash(const TableReader& table, const std::string& key) {
  std::string hash = table.text(key, "");
  if (!hash.empty() && !is_hexadecimal(hash, 16))
    table.fail(table.need(key), "'{}' is '{}'; expected the 16 hexadecimal digits of a label", key,
               hash);
  return hash;
}

}  // namespace

std::string Snippet::label() const {
  if (!same_as.empty()) return name + '_' + same_as;
  std::string all;
  const auto add = [&all](const std::string& text) {
    all += fmt::format("{}:{};", text.size(), text);
  };
  add(code);
  for (const Argument& argument : arguments) {
    add(argument.name);
    add(to_text(argument.type));
    add(argument.kind == ArgumentKind::scalar ? "scalar" : "buffer");
    add(argument.count.text());
    add(argument.value ? argument.value->text() : "");
    // Added only if present, so that snippets without them keep their label.
    if (argument.real.number) add(fmt::format("{}", *argument.real.number));
    if (argument.real.divisor) add("divisor=" + argument.real.divisor->text());
    if (argument.real.computed) add("real value=" + argument.real.computed->text());
  }
  return fmt::format("{}_{:016x}", name, hash_of(all));
}

void add_snippet(std::vector<Snippet>& snippets, const Snippet& snippet) {
  for (const Snippet& other : snippets)
    if (other.hook == snippet.hook && other.name == snippet.name)
      throw bad_input("{}: the snippet '{}' is already defined by {}", snippet.file.string(),
                      snippet.name, other.file.string());
  snippets.push_back(snippet);
}

Family with_snippet(Family family, const Snippet& snippet) {
  Operation& operation = family.operation;
  Hook& hook = hook_for(operation, snippet);
  for (const Argument& written : snippet.arguments) {
    Argument argument = in_operation(written, operation, hook, snippet);
    if (argument.kind == ArgumentKind::buffer)
      operation.bytes = combined(fmt::format("({}) + {} * ({})", operation.bytes.text(),
                                             size_of(argument.type), argument.count.text()),
                                 "the bytes of the operation", snippet);
    operation.arguments.push_back(std::move(argument));
  }
  hook.snippet = snippet;
  bind(operation);
  operation.reference.builtin.clear();
  for (Implementation& implementation : family.implementations)
    if (!calls(implementation, hook.name) && !is_among(snippet.label(), implementation.snippets))
      implementation.constraints.push_back(
          {Expression::parse(fmt::format("{} == '{}'", hook.name, kNoSnippet)),
           implementation.is_routine()
               ? fmt::format("the foreign library does not compute this {}", hook.name)
               : fmt::format("it does not call the hook '{}'", hook.name)});
  return family;
}

bool name_snippets(const Operation& operation, const Settings& values) {
  return std::ranges::any_of(operation.hooks,
                             [&](const Hook& hook) { return names_snippet(hook, values); });
}

Family with_snippets(Family family, Settings& values, const std::vector<Snippet>& known) {
  for (std::size_t i = 0; i < family.operation.hooks.size(); ++i) {
    const Hook hook = family.operation.hooks[i];
    if (!names_snippet(hook, values)) continue;
    Value& value = values.at(hook.name);
    const Snippet snippet = find_snippet(hook, to_text(value), known);
    family = with_snippet(std::move(family), snippet);
    value = snippet.label();
  }
  return family;
}

std::vector<Hook> read_hooks(const TableReader& operation) {
  std::vector<Hook> hooks;
  read_named(operation, "hook", "[[operation.hook]]", {"name", "about", "type", "coordinates"},
             hooks, read_hook);
  return hooks;
}

Snippet read_snippet_table(const TomlFile& file, const TomlNode& node) {
  const TableReader table(file, node, "[snippet]",
                          {"name", "hook", "about", "same_as", "code", "argument"});
  Snippet snippet;
  snippet.file = file.path;
  snippet.name = table.label("name");
  if (snippet.name == kNoSnippet)
    table.fail(table.need("name"), "'{}' means no snippet; choose another name", kNoSnippet);
  snippet.hook = table.label("hook");
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
  if (!manifest.snippet) throw bad_input("{}: has no [snippet]", path.string());
  return *manifest.snippet;
}

}  // namespace tilewright
