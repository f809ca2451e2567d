#include "definition/manifest/expression_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/manifest.hpp"
#include "definition/problem.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// If a launch argument is a table, its expression is one level deeper.
const TomlNode* expression_node(const TomlNode* node) {
  if (node == nullptr || node->kind != TomlNode::Kind::table) return node;
  for (const char* key : {"value", "workspace"})
    if (const TomlNode* inner = find_node(*node, key)) return inner;
  return node;
}

}  // namespace

Vocabulary device_vocabulary() {
  Vocabulary vocabulary;
  for (const std::string& name : device_names()) vocabulary[name] = {};
  for (const DeviceKind kind : kDeviceKinds) vocabulary["device.kind"].emplace_back(to_text(kind));
  return vocabulary;
}

Vocabulary problem_vocabulary(const Operation& operation) {
  Vocabulary vocabulary;
  for (const Dimension& dimension : operation.dimensions) vocabulary[dimension.name] = {};
  for (const Choice& choice : operation.choices) vocabulary[choice.name] = choice.labels;
  for (const Hook& hook : operation.hooks) vocabulary[hook.name] = {kNoSnippet};
  return vocabulary;
}

ExpressionCheck::ExpressionCheck(std::filesystem::path manifest, std::string table,
                                 std::string name, Vocabulary vocabulary)
    : manifest_(std::move(manifest)),
      table_(std::move(table)),
      name_(std::move(name)),
      vocabulary_(std::move(vocabulary)) {}

void ExpressionCheck::check_each(const std::string& key,
                                 std::span<const Expression> expressions) const {
  for (std::size_t i = 0; i < expressions.size(); ++i)
    check(fmt::format("{}[{}]", key, i), expressions[i]);
}

void ExpressionCheck::check_label(const std::string& key, const Expression& expression,
                                  const std::vector<std::string>& labels) const {
  check_node(key, expression.root());
  if (!is_label(key, expression.root()))
    fail(key, fmt::format("a number stands where one of {} is needed", fmt::join(labels, ", ")));
  check_labels(key, expression.root(), labels);
}

void ExpressionCheck::check_labels(const std::string& key, const ExpressionNode& node,
                                   const std::vector<std::string>& labels) const {
  if (node.op == Operator::conditional) {
    check_labels(key, node.children[1], labels);
    check_labels(key, node.children[2], labels);
    return;
  }
  if (node.op == Operator::otherwise) return check_labels(key, node.children[0], labels);
  const bool is_name = node.op == Operator::name;
  for (const std::string& label : is_name ? vocabulary_.at(node.text) : std::vector{node.text})
    if (!is_among(label, labels))
      fail(key, fmt::format("'{}' is none of {}", label, fmt::join(labels, ", ")), node.position);
}

void ExpressionCheck::check_node(const std::string& key, const ExpressionNode& node) const {
  if (node.op == Operator::size_of) {
    const ExpressionNode& named = node.children[0];
    if (!is_among(named.text, arguments_))
      fail(key,
           fmt::format("no argument '{}'{}", beginning_of(named.text),
                       suggestion(named.text, arguments_)),
           named.position);
    return;
  }
  if (node.op == Operator::name && !knows(node.text))
    fail(key,
         fmt::format("unknown name '{}'{}", beginning_of(node.text),
                     suggestion(node.text, names_of(vocabulary_, &Vocabulary::value_type::first))),
         node.position);
  for (const ExpressionNode& child : node.children) check_node(key, child);
  if (node.op != Operator::equal && node.op != Operator::not_equal) return;
  check_comparison(key, node.children[0], node.children[1]);
  check_comparison(key, node.children[1], node.children[0]);
}

void ExpressionCheck::check_comparison(const std::string& key, const ExpressionNode& name,
                                       const ExpressionNode& other) const {
  if (name.op != Operator::name) return;
  const std::vector<std::string>& labels = vocabulary_.at(name.text);
  if (other.op == Operator::number && !labels.empty())
    fail(key,
         fmt::format("'{}' holds a label, not a number; its labels are {}", name.text,
                     fmt::join(labels, ", ")),
         other.position);
  if (other.op != Operator::label) return;
  if (labels.empty())
    fail(key, fmt::format("'{}' holds a number, not a label", name.text), other.position);
  if (!is_among(other.text, labels))
    fail(key,
         fmt::format("'{}' is never '{}'{}", name.text, other.text, suggestion(other.text, labels)),
         other.position);
}

void ExpressionCheck::check_number(const std::string& key, const ExpressionNode& node) const {
  if (is_label(key, node)) fail(key, "a label stands where a number is needed", node.position);
}

bool ExpressionCheck::is_label(const std::string& key, const ExpressionNode& node) const {
  if (node.op == Operator::label) return true;
  if (node.op == Operator::name) return !vocabulary_.at(node.text).empty();
  if (node.op == Operator::size_of) return false;
  if (node.op == Operator::otherwise) return is_label(key, node.children[0]);
  const bool compares = node.op == Operator::equal || node.op == Operator::not_equal;
  const bool chooses = node.op == Operator::conditional;
  if (chooses) check_number(key, node.children[0]);
  if (!compares && !chooses) {
    for (const ExpressionNode& child : node.children) check_number(key, child);
    return false;
  }
  const bool left = is_label(key, node.children[chooses ? 1 : 0]);
  if (left != is_label(key, node.children[chooses ? 2 : 1]))
    fail(key,
         fmt::format("one side of '{}' is a label and the other is a number",
                     chooses                                  ? ":"
                     : compares && node.op == Operator::equal ? "=="
                                                              : "!="),
         node.position);
  return chooses && left;
}

// Of several operations or implementations the one with the name; if none has it any more, the
// first.
const TomlNode* ExpressionCheck::table_in(const TomlNode& root) const {
  const TomlNode* const all = find_node(root, table_);
  if (all == nullptr || all->elements.empty()) return all;
  const TomlNode* found = &all->elements.front();
  for (const TomlNode& element : all->elements)
    if (const TomlNode* name = find_node(element, "name"); name != nullptr)
      if (name_ == name->text || name_.ends_with('/' + name->text)) found = &element;
  return found;
}

void ExpressionCheck::fail(const std::string& key, const std::string& sentence,
                           std::size_t offset) const {
  const std::string place = fmt::format("{} '{}', {}: ", table_, name_, key);
  TomlFile file;
  const TomlNode* node = nullptr;
  try {
    file = read_toml(manifest_);
    if (const TomlNode* table = table_in(file.root)) node = expression_node(find_node(*table, key));
    if (node == nullptr) {
      file = read_toml(fitted_file(manifest_));
      node = find_node(file.root, name_.substr(name_.find('/') + 1) + '.' + key);
    }
  } catch (const InputError&) {
    throw InputError(place + sentence);  // it did not come from a file
  }
  if (node == nullptr) throw InputError(place + sentence);
  file.fail_in_text(*node, offset, sentence);
}

}  // namespace tilewright
