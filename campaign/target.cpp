#include "campaign/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

void add_labels(const ExpressionNode& node, std::vector<std::string>& labels) {
  if (node.op == Operator::label) labels.push_back(node.text);
  for (const ExpressionNode& child : node.children) add_labels(child, labels);
}

// The names that a rule over one implementation may use, except `device.*`. The labels of a hook
// are the names of snippets, which may be any: they are all labels of the rule.
Vocabulary vocabulary_of(const Operation& operation, const Implementation& implementation,
                         const Expression& rule) {
  Vocabulary names;
  for (const Parameter& one : implementation.parameters) names[one.name] = labels_of(one);
  for (const Dimension& one : operation.dimensions) names[one.name] = {};
  for (const Choice& one : operation.choices) names[one.name] = one.labels;
  for (const Hook& one : operation.hooks) {
    names[one.name] = {kNoSnippet};
    add_labels(rule.root(), names[one.name]);
  }
  return names;
}

Expression parsed_rule(const std::string& text) {
  try {
    return Expression::parse(text);
  } catch (const ExpressionError& error) {
    throw bad_input("where '{}', column {}: {}", text, error.position() + 1, error.what());
  }
}

// The full names of implementations, by a name that they lack.
using Lacking = std::map<std::string, std::vector<std::string>>;

// Whether the implementation has all names of the rule; the others are noted.
bool has_names(const Expression& rule, const Operation& operation,
               const Implementation& implementation, Lacking& lacking) {
  const Vocabulary known = vocabulary_of(operation, implementation, rule);
  bool has_all = true;
  for (const std::string& name : rule.names())
    if (!name.starts_with("device.") && !known.contains(name)) {
      lacking[name].push_back(implementation.full_name());
      has_all = false;
    }
  return has_all;
}

// "where names TILE, which scale/plain does not have"
std::string lacking_text(const Lacking& lacking) {
  std::vector<std::string> parts;
  for (const auto& [name, implementations] : lacking)
    parts.push_back(fmt::format("{}, which {} {} not have", name, fmt::join(implementations, ", "),
                                implementations.size() == 1 ? "does" : "do"));
  return fmt::format("where names {}", fmt::join(parts, " and "));
}

// Because no implementation has all names.
[[noreturn]] void refuse_rule(const Lacking& lacking, const Expression& rule,
                              const Target& target) {
  const std::size_t count = target.implementations.size();
  const auto unknown =
      std::ranges::find(lacking, count, [](const auto& item) { return item.second.size(); });
  if (unknown == lacking.end())
    throw InputError(lacking_text(lacking) + ": no implementation has them all");
  std::vector<std::string> known;
  for (const Implementation* implementation : target.implementations)
    for (const auto& entry : vocabulary_of(target.operation(), *implementation, rule))
      known.push_back(entry.first);
  throw bad_input("where uses '{}', which {} does not have{}", unknown->first,
                  unknown->second.front(), suggestion(unknown->first, known));
}

// Throws InputError if for each of the implementations a name can never have a label that it is
// compared with, or a label stands where a number is needed.
void check_labels(const std::string& text, const Where& where, const Operation& operation) {
  std::optional<InputError> wrong;
  for (const Implementation* implementation : where.implementations) {
    // Without a manifest, messages begin with the rule.
    ExpressionCheck checker({}, "where", text,
                            vocabulary_of(operation, *implementation, where.rule));
    checker.add(device_vocabulary());
    checker.add_arguments(operation.arguments);
    try {
      return checker.check("for " + implementation->full_name(), where.rule);
    } catch (const InputError& error) {
      if (!wrong) wrong = error;
    }
  }
  throw InputError(*wrong);
}

// An operation takes precedence over a folder of the same name.
void refuse_folder(const std::string& name, const Library& library) {
  const std::size_t slash = name.find('/');
  std::error_code error;
  if (!library.families().contains(name.substr(0, slash)) &&
      std::filesystem::is_directory(name, error))
    throw bad_input(
        "'{}' is a folder; name an operation, OPERATION/IMPLEMENTATION or FILE.toml (--kernels {} "
        "adds the definitions in it)",
        name, name);
  if (slash == 0 || slash == name.size() - 1)
    throw bad_input("'{}' is not OPERATION/IMPLEMENTATION; `tilewright kernels` lists them", name);
}

}  // namespace

std::optional<NamedFile> file_in(const std::string& name) {
  constexpr std::string_view kEnd = ".toml";
  if (name.ends_with(kEnd)) return NamedFile{name};
  const std::size_t end = name.rfind(".toml/");
  if (end == std::string::npos) return std::nullopt;
  NamedFile named{name.substr(0, end + kEnd.size())};
  const std::string rest = name.substr(end + kEnd.size() + 1);
  const std::size_t slash = rest.find('/');
  named.operation = rest.substr(0, slash);
  if (slash != std::string::npos) named.implementation = rest.substr(slash + 1);
  if (named.operation.empty() || (slash != std::string::npos && named.implementation.empty()))
    throw bad_input("'{}' is not FILE.toml/OPERATION or FILE.toml/OPERATION/IMPLEMENTATION", name);
  return named;
}

Family find_family(const std::string& name, const Library& library) {
  if (const auto named = file_in(name))
    return load_manifest(named->file, library, named->operation);
  refuse_folder(name, library);
  return library.family(name.substr(0, name.find('/')));
}

Target choose_target(Family family, const std::string& name) {
  Target target;
  target.family = std::make_shared<const Family>(std::move(family));
  const auto file = file_in(name);
  const std::size_t slash = name.find('/');
  // FILE.toml/NAME may name an implementation of the file's only operation.
  const bool is_short = file && file->operation != target.operation().name;
  if (is_short && !file->implementation.empty())
    throw bad_input("'{}' is not FILE.toml/OPERATION/IMPLEMENTATION: the operation is {}", name,
                    target.operation().name);
  const std::string chosen = is_short                     ? file->operation
                             : file                       ? file->implementation
                             : slash == std::string::npos ? ""
                                                          : name.substr(slash + 1);
  if (!chosen.empty()) {
    target.implementations.push_back(&target.family->implementation(chosen));
    return target;
  }
  target.implementations = comparable(target.family->implementations);
  if (target.implementations.empty())
    throw bad_input("operation '{}' has no implementation", target.operation().name);
  return target;
}

std::vector<std::string> manifests_of(const Target& target) {
  std::set<std::string> files;
  const auto add = [&](const std::filesystem::path& file) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(file, error).lexically_normal();
    if (!error && std::filesystem::is_regular_file(absolute, error)) files.insert(absolute);
  };
  add(target.operation().manifest);
  for (const Implementation* implementation : target.implementations) add(implementation->manifest);
  return {files.begin(), files.end()};
}

Where parse_where(const std::string& text, const Target& target) {
  Where where{parsed_rule(text), {}, ""};
  Lacking lacking;
  for (const Implementation* implementation : target.implementations)
    if (has_names(where.rule, target.operation(), *implementation, lacking))
      where.implementations.push_back(implementation);
  if (where.implementations.empty()) refuse_rule(lacking, where.rule, target);
  check_labels(text, where, target.operation());
  const std::size_t left_out = target.implementations.size() - where.implementations.size();
  if (left_out > 0)
    where.left_out =
        lacking_text(lacking) + (left_out == 1 ? ": it is left out" : ": they are left out");
  // If several implementations have the parameter, the first one's absent value counts.
  for (const Implementation* implementation : where.implementations)
    where.rule = bound(where.rule, *implementation, target.operation());
  return where;
}

}  // namespace tilewright
