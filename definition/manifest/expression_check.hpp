#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/definition.hpp"
#include "definition/expression/expression.hpp"
#include "definition/text/suggest.hpp"
#include "definition/toml/toml_file.hpp"

namespace tilewright {

// The names that an expression may use. A name with labels has the list of its labels.
using Vocabulary = std::map<std::string, std::vector<std::string>>;

// The names of `device.*`.
Vocabulary device_vocabulary();
// Those of the operation's dimensions, choices and hooks.
Vocabulary problem_vocabulary(const Operation& operation);

// Checks the expressions of one definition. Messages begin with file:line:column; if the manifest
// cannot be read any more, they name the definition and the key.
class ExpressionCheck {
 public:
  // `table` is the definition's kind in its manifest, "operation" or "implementation"; `name` is
  // its full name, "gemm/tiled".
  ExpressionCheck(std::filesystem::path manifest, std::string table, std::string name,
                  Vocabulary vocabulary);

  bool knows(const std::string& name) const { return vocabulary_.contains(name); }
  void add(const std::string& name, std::vector<std::string> labels) {
    vocabulary_[name] = std::move(labels);
  }
  void add(Vocabulary names) { vocabulary_.merge(names); }
  // size_of() may name these arguments from now on.
  void add_arguments(const std::vector<Argument>& arguments) {
    arguments_ = names_of(arguments, &Argument::name);
  }

  // Throws InputError for a name that is not in the vocabulary, a label that its name cannot have,
  // and a label where a number is needed or the other way round. `key` is the path below the
  // definition: "launch[0].grid[1]".
  void check(const std::string& key, const Expression& expression) const {
    check_node(key, expression.root());
    check_number(key, expression.root());
  }
  // The same for an expression whose value is one of these labels.
  void check_label(const std::string& key, const Expression& expression,
                   const std::vector<std::string>& labels) const;
  // Checks what is an expression, or several, and nothing else.
  template <class T>
  void check_any(const std::string& key, const T& value) const {
    if constexpr (std::same_as<T, Expression>)
      check(key, value);
    else if constexpr (AnyExpression<T>)
      value ? check(key, *value) : void();
    else if constexpr (std::convertible_to<const T&, std::span<const Expression>>)
      check_each(key, value);
  }
  // The fields of a struct but one: KEY.FIELD.
  template <HasFields Struct>
  void check_fields(const std::string& key, const Struct& object, std::string_view but = {}) const {
    for_each_field(object, [&](const char* name, const auto& member) {
      if (name != but) check_any(key.empty() ? name : key + '.' + name, member);
    });
  }
  // Checks KEY[0], KEY[1], …
  void check_each(const std::string& key, std::span<const Expression> expressions) const;

  [[noreturn]] void fail(const std::string& key, const std::string& sentence,
                         std::size_t offset = 0) const;
  template <class Part, class... Parts>
  [[noreturn]] void fail(const std::string& key, fmt::format_string<Part, Parts...> sentence,
                         Part&& part, Parts&&... parts) const {
    fail(key, fmt::format(sentence, std::forward<Part>(part), std::forward<Parts>(parts)...));
  }

 private:
  void check_node(const std::string& key, const ExpressionNode& node) const;
  void check_comparison(const std::string& key, const ExpressionNode& name,
                        const ExpressionNode& other) const;
  void check_number(const std::string& key, const ExpressionNode& node) const;
  // Whether its value is a label.
  bool is_label(const std::string& key, const ExpressionNode& node) const;
  const TomlNode* table_in(const TomlNode& root) const;
  // Throws unless each label that the node may give is one of these.
  void check_labels(const std::string& key, const ExpressionNode& node,
                    const std::vector<std::string>& labels) const;

  std::filesystem::path manifest_;
  std::string table_;
  std::string name_;
  Vocabulary vocabulary_;
  std::vector<std::string> arguments_;
};

}  // namespace tilewright
