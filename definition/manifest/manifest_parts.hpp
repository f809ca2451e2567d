#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "definition/definition.hpp"
#include "definition/toml/table_reader.hpp"

namespace tilewright {

// The parts of read_manifest, by section. All throw InputError with the place of the mistake.

Operation read_operation(const TomlFile& file, const TomlNode& table);
// The `argument` tables of an operation or a snippet; `what` names them in messages.
std::vector<Argument> read_arguments(const TableReader& owner, const std::string& what);
std::vector<Hook> read_hooks(const TableReader& operation);
// The `constraint` tables of an operation or an implementation; `what` names them in messages.
std::vector<Constraint> read_constraints(const TableReader& owner, const std::string& what);
Snippet read_snippet_table(const TomlFile& file, const TomlNode& table);

// Whether the argument's table has `fill = { kind = "kernel", … }`.
bool is_filled_by_kernel(const TomlNode& argument);
// Those fills, by argument. Sources are those of the reference if the manifest names none.
std::map<std::string, Reference> read_kernel_fills(const TableReader& operation,
                                                   const Operation& with_reference);

// Every expression of an operation may use only its dimensions and choices (a reference kernel's
// launches also `device.*`), and a reference's launch arguments must exist. Throws InputError.
void check_operation(const Operation& operation);

// A metric may also use the parameters of those implementations that are the operation's, what was
// measured, and `device.*`. Throws InputError.
void check_metrics(const Operation& operation, const std::vector<Implementation>& implementations);

class ExpressionCheck;

// Macros of parameters, of what is compiled in and of units: no two have one name, and none depends
// on a problem that is verified with the same code. Throws InputError, as the next two do.
void check_macros(const ExpressionCheck& checker, const Implementation& implementation,
                  const Operation& operation);
void check_units(const ExpressionCheck& checker, const std::vector<SourceUnit>& units);
void check_reference_macros(const ExpressionCheck& checker, const Operation& operation);

// The names of the buffers with one of these roles.
std::vector<std::string> buffers_of(const Operation& operation,
                                    std::initializer_list<ArgumentRole> roles);

// An expression that decides what the code is uses only parameters, because other problems are
// verified with the same code. `what` names it in messages.
void check_fixed(const ExpressionCheck& checker, const std::string& key,
                 const Expression& expression, const std::string& what,
                 const std::vector<Parameter>& parameters);

// What changes places in a loop is written, and is passed as a pointer. `prefix` is that of keys in
// messages. Throws InputError, as the next functions do.
void check_loops(const ExpressionCheck& checker, const std::string& prefix,
                 const std::vector<Loop>& loops, const std::vector<Launch>& launches,
                 const Operation& operation);

// A {name} in an entry is a choice whose values are types, for which entry_of() puts the type.
// Other braces are C++. Throws InputError.
void check_entry(const ExpressionCheck& checker, const std::string& key, const std::string& entry,
                 const Operation& operation);

// A constant is filled from an input buffer, and whether the code has it is fixed.
void check_constants(const ExpressionCheck& checker, const std::string& prefix,
                     const std::vector<ConstantSymbol>& constants, const Operation& operation,
                     const std::vector<Parameter>& parameters);

// `operation` names the file's own operation, or is empty. `fitted` is null, or what is read in
// place of the keys seeds, general and cost of implementations that it has a table for.
Implementation read_implementation(const TomlFile& file, const TomlNode& table,
                                   const std::string& operation, const TomlFile* fitted);

// The keys 'evaluator' or 'command' and 'files', which take the place of a source and launches.
void read_evaluator(const TableReader& table, Implementation& implementation);
// Each {name} in a command is a parameter, or a name of the problem, or `device`.
void check_command(const ExpressionCheck& checker, const Implementation& implementation,
                   const Operation& operation);

// The `parameter` tables of an implementation. Ranges of values are written out. Those whose end
// depends on the problem go to its greatest value, and add a constraint to `ends`.
std::vector<Parameter> read_parameters(const TableReader& implementation,
                                       std::vector<Constraint>& ends);
// "; did you mean …?" if the parameter has a value like this one, else nothing.
std::string suggestion_of_value(const Parameter& parameter, const Value& value);

// The `launch` tables of a reference, and those of an implementation, which may name a unit. Launch
// arguments may use `parameters`. A parameter with labels is passed as the index of its value; the
// launch gets an expression for it.
std::vector<Launch> read_reference_launches(const TableReader& reference);
Launch read_fill_launch(const TableReader& fill, const Launch& usual);
std::vector<Launch> read_launches(const TableReader& implementation,
                                  const std::vector<Parameter>& parameters);

// The `unit` tables of an implementation whose source and launches have been read. Each of them
// must have a launch, and an entry must be of one unit only.
std::vector<SourceUnit> read_units(const TableReader& table, const Implementation& implementation);

void check_texture(const ExpressionCheck& checker, const std::string& key,
                   const LaunchArgument& launched, const Operation& operation);

// The table 'macros' of a unit or a launch.
std::map<std::string, Expression> read_macros(const TableReader& owner);

// The `loop` tables of a reference or an implementation with these launches, which stand together.
// `what` names the tables in messages.
std::vector<Loop> read_loops(const TableReader& owner, const std::string& what,
                             const std::vector<Launch>& launches);

// The `constant` tables of a reference or an implementation, with these keys.
std::vector<ConstantSymbol> read_constants(const TableReader& owner,
                                           const std::vector<std::string>& keys);

// Throws if expressions have the name for something else.
void refuse_reserved(const TableReader& table, const TomlPosition& place, const std::string& name);
// Adds `name` to `taken`. Throws if it is reserved or already there.
void take_name(const TableReader& table, const std::string& name, std::vector<std::string>& taken);

// The keys 'name' and 'about'.
template <class Item>
void read_name(const TableReader& table, Item& item) {
  item.name = table.identifier("name");
  item.about = table.text("about", "");
}

// Adds what `read` makes of each table of the array `key`. `what` names a table in messages.
template <class Item, class Read>
void read_each(const TableReader& owner, const std::string& key, const std::string& what,
               const std::vector<std::string>& keys, std::vector<Item>& items, const Read& read) {
  for (const TomlNode& node : owner.elements(key))
    items.push_back(read(TableReader(owner.file(), node, what, keys)));
}
// The same of what has names. Throws if two have one, or one has a name of `taken`.
template <class Item, class Read>
void read_named(const TableReader& owner, const std::string& key, const std::string& what,
                const std::vector<std::string>& keys, std::vector<Item>& items, const Read& read,
                std::vector<std::string> taken = {}) {
  read_each(owner, key, what, keys, items, [&](const TableReader& table) {
    Item item = read(table);
    take_name(table, item.name, taken);
    return item;
  });
}

// The key's text as an expression for a type: of a type's name, the name as a label.
Expression type_expression(const TableReader& table, const std::string& key);

// The key's number: an expression or a real number, which 'divisor' may divide. Throws if it is
// real and `type`, if it is known, holds integers.
struct WrittenNumber {
  Expression value;
  RealValue real;
};
WrittenNumber read_number(const TableReader& table, const std::string& key,
                          std::optional<ElementType> type);

// The path `written` in the manifest, relative to the manifest's folder, as an absolute path.
std::filesystem::path path_of(const TomlFile& file, const std::string& written);
// The same for a source file, which must exist if the manifest is in a folder.
std::filesystem::path source_of(const TableReader& table, const std::string& key);

// The folders of the key 'include', which must exist if the manifest is in a folder.
std::vector<std::filesystem::path> read_include_directories(const TableReader& table);

// Where the key 'options' goes.
struct CompilerOptions {
  std::vector<std::string>& options;
  std::vector<std::filesystem::path>& include_directories;  // of -I, relative to the manifest
  std::vector<std::string>& dropped;  // what only the host's compiler or a linker reads
};
// Replaces the options, and adds to the others.
void read_compiler_options(const TableReader& table, DeviceCompiler compiler,
                           CompilerOptions result);

// A table of names and values, such as an element of `seeds`. `value_error` returns what is wrong
// with a value, or an empty text.
template <class NamesValue>
Settings read_settings(const TableReader& table, const NamesValue& value_error) {
  Settings settings;
  for (const auto& [name, node] : table.node().entries) {
    Value value = node.kind == TomlNode::Kind::integer ? Value(node.integer) : Value(node.text);
    const bool usable = node.kind == TomlNode::Kind::integer || node.kind == TomlNode::Kind::text;
    if (!usable) table.fail(node, "'" + name + "' must be an integer or a label");
    const std::string wrong = value_error(name, value);
    if (!wrong.empty()) table.fail(node, wrong);
    settings.emplace(name, std::move(value));
  }
  return settings;
}

}  // namespace tilewright
