#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "definition/expression/expression_lexer.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/scanner.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// A letter and digits, as ptxas writes it in parentheses.
bool is_remark_code(const std::string& code) {
  return code.size() > 1 && code.front() >= 'A' && code.front() <= 'Z' &&
         std::all_of(code.begin() + 1, code.end(), is_digit);
}

// Reasons name the items of a list in reports, so that no two are alike. `what` is the list.
void require_new_why(const TableReader& table, const auto& items, const char* what) {
  for (const auto& item : items)
    if (item.why == table.text("why"))
      table.fail(table.need("why"), "two {} have the same 'why', which names them in reports",
                 what);
}

std::vector<Remark> read_remarks(const TableReader& implementation) {
  std::vector<Remark> remarks;
  const auto read = [&](const TableReader& table) {
    Remark remark{table.texts("codes"), table.text("why")};
    for (std::size_t i = 0; i < remark.codes.size(); ++i)
      if (!is_remark_code(remark.codes[i]))
        table.fail(table.elements("codes")[i],
                   "'codes' are a capital letter and digits, such as C7510, not '{}'",
                   remark.codes[i]);
    if (remark.codes.empty()) table.fail(table.need("codes"), "'codes' must not be empty");
    require_new_why(table, remarks, "remarks");
    return remark;
  };
  read_each(implementation, "remark", "[[implementation.remark]]", {"codes", "why"}, remarks, read);
  return remarks;
}

std::vector<CompiledIn> read_compiled_in(const TableReader& implementation) {
  std::vector<CompiledIn> items;
  for (const TomlNode& node : implementation.elements("compiled_in")) {
    CompiledIn item;
    if (node.kind == TomlNode::Kind::table) {
      const TableReader table(implementation.file(), node, "an element of 'compiled_in'",
                              {"name", "when"});
      item.name = table.identifier("name");
      item.when = table.expression("when", item.when);
    } else {
      item.name = implementation.text_of("compiled_in", node);
    }
    const Terms& terms = implementation.file().terms;
    if (const auto term = terms.find(item.name); term != terms.end()) item.term = term->second;
    for (const CompiledIn& earlier : items)
      if (earlier.name == item.name)
        implementation.fail(node, "'{}' is compiled in twice", item.name);
    items.push_back(std::move(item));
  }
  return items;
}

std::string wrong_seed(const std::vector<Parameter>& parameters, const std::string& name,
                       const Value& value) {
  const Parameter* const parameter = find_named(parameters, name);
  if (parameter == nullptr)
    return fmt::format("no parameter '{}'{}", name,
                       suggestion(name, names_of(parameters, &Parameter::name)));
  if (is_among(value, parameter->values)) return {};
  return fmt::format("{} has no value {}{}", name, to_text(value),
                     suggestion_of_value(*parameter, value));
}

// A table, or what "BLOCK=64 LOADING=all" stands for.
TomlNode table_of_settings(const TableReader& implementation, const std::string& key,
                           const TomlNode& node) {
  if (node.kind != TomlNode::Kind::text) return node;
  TomlNode table;
  table.position = node.position;
  std::istringstream words(node.text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      implementation.fail(node, "'{}' has NAME=VALUE, not '{}'", key, word);
    TomlNode& value = table.entries[word.substr(0, equals)];
    value = node;
    value.text = word.substr(equals + 1);
    const auto number = number_in<std::int64_t>(value.text);
    if (!number) continue;
    value.kind = TomlNode::Kind::integer;
    value.integer = *number;
  }
  return table;
}

std::vector<Settings> read_seeds(const TableReader& implementation, const std::string& key,
                                 const std::vector<TomlNode>& nodes,
                                 const std::vector<Parameter>& parameters) {
  std::vector<Settings> seeds;
  for (const TomlNode& node : nodes) {
    const TomlNode settings = table_of_settings(implementation, key, node);
    const TableReader table(implementation.file(), settings, "an element of '" + key + "'");
    seeds.push_back(read_settings(table, [&](const std::string& name, const Value& value) {
      return wrong_seed(parameters, name, value);
    }));
  }
  return seeds;
}

// Every combination of an element of each array.
std::vector<Settings> read_general(const TableReader& implementation,
                                   const std::vector<Parameter>& parameters) {
  std::vector<Settings> all;
  for (const TomlNode& node : implementation.elements("general")) {
    if (node.kind != TomlNode::Kind::array)
      implementation.fail(node, "'general' is an array of arrays of tables, and this is {}",
                          kind_name(node));
    const std::vector<Settings> group =
        read_seeds(implementation, "general", node.elements, parameters);
    if (group.empty()) implementation.fail(node, "an array of 'general' must not be empty");
    if (all.empty()) all.emplace_back();
    std::vector<Settings> longer;
    if (all.size() * group.size() > kMostGeneral)
      implementation.fail(node, "'general' means more than {} configurations", kMostGeneral);
    for (const Settings& one : all)
      for (const Settings& other : group) {
        longer.push_back(other);
        longer.back().insert(one.begin(), one.end());
      }
    all = std::move(longer);
  }
  return all;
}

Workspace read_workspace(const TableReader& implementation) {
  Workspace workspace;
  const TomlNode* node = implementation.find("workspace");
  if (node == nullptr) return workspace;
  const TableReader table(implementation.file(), *node, "[implementation.workspace]",
                          names_of_fields<Workspace>());
  if (!table.has("prepared")) table.need("bytes");
  table.read_fields(workspace);
  workspace.zero = table.one_of("zero", std::array{"never", "once", "each"}, workspace.zero);
  return workspace;
}

Estimate read_estimate(const TableReader& implementation) {
  const TomlNode* node = implementation.find("estimate");
  if (node == nullptr) return {};
  Estimate estimate;
  TableReader(implementation.file(), *node, "[implementation.estimate]",
              names_of_fields<Estimate>())
      .read_fields(estimate);
  return estimate;
}

std::optional<CostFormulas> read_cost(const TableReader& owner, const std::string& what) {
  const TomlNode* node = owner.find("cost");
  if (node == nullptr) return std::nullopt;
  const TableReader table(owner.file(), *node, what, names_of_fields<CostFormulas>());
  table.need("blocks");
  table.need("work");
  CostFormulas cost;
  cost.multiprocessors = Expression::parse("device.sm_count");
  table.read_fields(cost);
  return cost;
}

std::string read_architecture(const TableReader& implementation) {
  std::string name = implementation.text("requires", "");
  std::string_view digits = name;
  if (digits.substr(0, 3) == "sm_") digits.remove_prefix(3);
  if (digits.size() < name.size() && !digits.empty() &&
      (digits.back() == 'a' || digits.back() == 'f'))
    digits.remove_suffix(1);
  const bool spelled =
      digits.size() < name.size() && digits.size() >= 2 && std::ranges::all_of(digits, is_digit);
  if (!name.empty() && !spelled)
    implementation.fail(implementation.need("requires"),
                        "'requires' is an architecture such as sm_80 or sm_90a, not '{}'", name);
  return name;
}

// The routine of a library; empty: the implementation has a source and launches.
std::string read_routine(const TableReader& implementation) {
  if (!implementation.has("routine")) {
    implementation.refuse({"relative_cost", "snippets"}, "an implementation without 'routine'");
    return {};
  }
  implementation.refuse({"source", "include", "options", "target", "max_registers", "compiled_in",
                         "seeds", "general", "remark", "unit", "launch", "estimate", "cost",
                         "constant", "loop", "compiler", "evaluator", "command", "files"},
                        "'routine', because a library has the code");
  return implementation.identifier("routine");
}

std::string read_operation_name(const TableReader& implementation, const std::string& own) {
  if (!implementation.has("operation") && !own.empty()) return own;
  std::string name = implementation.identifier("operation");
  if (!own.empty() && name != own)
    implementation.fail(implementation.need("operation"),
                        "the operation of this file is '{}', not '{}'", own, name);
  return name;
}

// A launch may use a workspace only if there is one, and prepared memory only if it has a size.
void check_workspace(const TableReader& table, const Implementation& implementation) {
  const TomlNode* const node = table.find("workspace");
  const bool has_prepared = node != nullptr && find_node(*node, "prepared") != nullptr;
  for (std::size_t i = 0; i < implementation.launches.size(); ++i) {
    const Launch& launch = implementation.launches[i];
    const bool is_prepared = std::ranges::any_of(launch.arguments, &LaunchArgument::prepared);
    if ((is_prepared || !launch.prepares.empty()) && !has_prepared)
      table.fail(table.elements("launch")[i],
                 "a launch uses the prepared input, but [implementation.workspace] has no "
                 "'prepared', its size in bytes");
    if (node == nullptr && std::ranges::any_of(launch.arguments, uses_workspace))
      table.fail(table.elements("launch")[i],
                 "a launch uses the workspace, but there is no [implementation.workspace]");
  }
  if (node != nullptr) return;
  for (std::size_t i = 0; i < implementation.loops.size(); ++i)
    for (const LaunchArgument& place : implementation.loops[i].swap)
      if (uses_workspace(place))
        table.fail(table.elements("loop")[i],
                   "a loop uses the workspace, but there is no [implementation.workspace]");
}

}  // namespace

std::vector<std::filesystem::path> read_include_directories(const TableReader& implementation) {
  std::vector<std::filesystem::path> folders;
  for (const TomlNode& node : implementation.elements("include")) {
    folders.push_back(path_of(implementation.file(), implementation.text_of("include", node)));
    std::error_code error;
    if (implementation.file().is_in_folder && !std::filesystem::is_directory(folders.back(), error))
      implementation.fail(node, "'include': there is no folder {}", folders.back().string());
  }
  return folders;
}

std::vector<Constraint> read_constraints(const TableReader& owner, const std::string& what) {
  std::vector<Constraint> constraints;
  read_each(owner, "constraint", what, {"require", "why"}, constraints,
            [&](const TableReader& table) {
              Constraint constraint{table.expression("require"), table.text("why")};
              require_new_why(table, constraints, "constraints");
              return constraint;
            });
  return constraints;
}

namespace {

// Adds the terms of the implementation to `file`, in the order in which they are written, because
// a term may use those before it.
void read_terms(TomlFile& file, const TomlNode& node) {
  const TomlNode* const found = find_node(node, "terms");
  if (found == nullptr) return;
  if (found->entries.size() > kMostTerms)
    file.fail(found->position, "an implementation has at most {} terms", kMostTerms);
  std::vector<std::pair<std::string, const TomlNode*>> entries;
  for (const auto& [name, entry] : found->entries) entries.emplace_back(name, &entry);
  std::ranges::sort(entries, {}, [](const auto& entry) {
    return std::pair(entry.second->key_position.line, entry.second->key_position.column);
  });
  const TableReader table(file, *found, "[implementation.terms]");
  for (const auto& [name, entry] : entries) {
    table.require_identifier(entry->key_position, name, "the name of a term");
    refuse_reserved(table, entry->key_position, name);
    Expression term = table.expression(name);
    file.terms.emplace(name, std::move(term));
  }
}

// The file with what its expressions may use, but without its content.
TomlFile without_root(const TomlFile& file) {
  return {file.path, file.lines, {}, file.is_in_folder, {}, file.term_text};
}

// What stands in the implementation's table or, if `fitted` has one for it, there.
void read_fitted(const TableReader& table, const TomlFile* fitted, Implementation& implementation) {
  const auto read = [&](const TableReader& owner, const std::string& cost) {
    const std::vector<Parameter>& parameters = implementation.parameters;
    implementation.seeds = read_seeds(owner, "seeds", owner.elements("seeds"), parameters);
    implementation.general = read_general(owner, parameters);
    implementation.cost = read_cost(owner, cost);
  };
  const TomlNode* const node =
      fitted == nullptr ? nullptr : find_node(fitted->root, implementation.name);
  if (node == nullptr) return read(table, "[implementation.cost]");
  const std::string what = '[' + implementation.name + ']';
  table.refuse({"seeds", "general", "cost"}, fitted->path.string() + ", which has " + what);
  TomlFile file = without_root(*fitted);
  file.terms = implementation.terms;
  read({file, *node, what, {"seeds", "general", "cost"}}, '[' + implementation.name + ".cost]");
}

}  // namespace

Implementation read_implementation(const TomlFile& whole, const TomlNode& node,
                                   const std::string& operation, const TomlFile* fitted) {
  TomlFile file = without_root(whole);
  read_terms(file, node);
  const TableReader table(
      file, node, "[[implementation]]",
      {"name",      "operation", "about",      "epoch",         "source",      "include",
       "options",   "requires",  "target",     "max_registers", "compiled_in", "seeds",
       "general",   "parameter", "constraint", "remark",        "unit",        "launch",
       "workspace", "estimate",  "cost",       "flops",         "bytes",       "constant",
       "loop",      "compiler",  "terms",      "routine",       "evaluator",   "files",
       "command",   "time",      "expect",     "timed_by",      "version",     "relative_cost",
       "snippets"});
  Implementation implementation;
  implementation.manifest = file.path;
  implementation.terms = file.terms;
  implementation.name = table.identifier("name");
  implementation.operation = read_operation_name(table, operation);
  implementation.about = table.text("about", "");
  table.read_fields(implementation);
  if (implementation.epoch < 1) table.fail(table.need("epoch"), "'epoch' must be at least 1");
  implementation.routine = read_routine(table);
  implementation.snippets = table.texts("snippets");
  read_evaluator(table, implementation);
  const bool has_code = !implementation.is_routine() && !implementation.is_evaluator();
  if (has_code) implementation.source = source_of(table, "source");
  implementation.include_directories = read_include_directories(table);
  implementation.requires_architecture = read_architecture(table);
  implementation.architecture_specific =
      table.one_of("target", std::array{"generic", "specific"}, false);
  implementation.compiler = table.one_of("compiler", kDeviceCompilers, implementation.compiler);
  table.read_fields(implementation.own_work);
  read_compiler_options(
      table, implementation.compiler,
      {implementation.options, implementation.include_directories, implementation.dropped_options});
  implementation.compiled_in = read_compiled_in(table);
  std::vector<Constraint> ends;
  implementation.parameters = read_parameters(table, ends);
  implementation.constraints = read_constraints(table, "[[implementation.constraint]]");
  std::ranges::move(ends, std::back_inserter(implementation.constraints));
  implementation.remarks = read_remarks(table);
  read_fitted(table, fitted, implementation);
  if (has_code) implementation.launches = read_launches(table, implementation.parameters);
  implementation.loops = read_loops(table, "[[implementation.loop]]", implementation.launches);
  implementation.constants = read_constants(table, {"symbol", "from", "unit", "when"});
  implementation.units = read_units(table, implementation);
  implementation.workspace = read_workspace(table);
  implementation.estimate = read_estimate(table);
  check_workspace(table, implementation);
  return implementation;
}

}  // namespace tilewright
