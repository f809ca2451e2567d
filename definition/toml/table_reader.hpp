#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/expression/expression.hpp"
#include "definition/field_list.hpp"
#include "definition/toml/toml_file.hpp"

namespace tilewright {

// Limits for hostile manifests. Some checks compare all elements of an array with each other.
inline constexpr std::size_t kMostElements = 4096;        // of any array
inline constexpr std::size_t kMostValues = 65536;         // of a parameter
inline constexpr std::size_t kMostParameters = 64;        // of an implementation
inline constexpr std::size_t kMostTerms = 64;             // of an implementation
inline constexpr std::size_t kMostTermText = 1 << 20;     // that terms add to all expressions
inline constexpr std::size_t kMostMacros = 256;           // of a unit or a launch
inline constexpr std::size_t kMostUnits = 16;             // of an implementation
inline constexpr std::size_t kMostConstants = 64;         // of an implementation or a reference
inline constexpr std::size_t kMostGeneral = 256;          // configurations that 'general' means
inline constexpr std::size_t kMostImplementations = 256;  // of a manifest
inline constexpr std::size_t kLongestName = 256;          // of whatever has a name, and of a label

// Typed, checked access to one table of a manifest. Every function throws InputError with the place
// of the error. The file must outlive the reader.
class TableReader {
 public:
  // Throws if `table` is not a table or has a key that is not `known`. `what` names the table
  // in messages: "[[operation.dimension]]".
  TableReader(const TomlFile& file, const TomlNode& table, std::string what,
              const std::vector<std::string>& known);

  // The same of a table whose keys are names of the author's choice.
  TableReader(const TomlFile& file, const TomlNode& table, std::string what);

  const TomlFile& file() const { return *file_; }
  const TomlNode& node() const { return *table_; }
  const std::string& what() const { return what_; }

  const TomlNode* find(const std::string& key) const;
  const TomlNode& need(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }

  std::string text(const std::string& key) const;  // required, not empty
  std::string text(const std::string& key, std::string_view fallback) const;
  std::string identifier(const std::string& key) const;  // required, a C identifier
  std::int64_t integer(const std::string& key) const;    // required
  std::int64_t integer(const std::string& key, std::int64_t fallback) const;
  double number(const std::string& key) const;  // required, finite
  double number(const std::string& key, double fallback) const;
  Expression expression(const std::string& key) const;  // required
  Expression expression(const std::string& key, const Expression& fallback) const;
  std::optional<Expression> optional_expression(const std::string& key) const;

  // Those fields of the struct's list but one that are expressions, numbers or lists of these or of
  // texts, by their names. What the table lacks stays.
  template <HasFields Struct>
  void read_fields(Struct& object, std::string_view but = {}) const {
    for_each_field(object, [&]<class Member>(const char* key, Member& member) {
      if (key == but || !has(key)) return;
      if constexpr (AnyExpression<Member>)
        member = expression(key);
      else if constexpr (std::same_as<Member, std::vector<Expression>>)
        member = expressions(key);
      else if constexpr (std::same_as<Member, std::vector<std::string>>)
        member = texts(key);
      else if constexpr (std::same_as<Member, std::int64_t>)
        member = integer(key);
      else if constexpr (std::same_as<Member, double> ||
                         std::same_as<Member, std::optional<double>>)
        member = number(key);
    });
  }

  // Throws if the table has any of `keys`.
  void refuse(const std::vector<std::string>& keys, const std::string& reason) const;

  // The elements of an array, at most kMostElements; empty if the key is absent.
  const std::vector<TomlNode>& elements(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;  // each as line_of
  std::vector<Expression> expressions(const std::string& key) const;

  // The place of a text among `names`, which have the enumerators' order, or `fallback` if the key
  // is absent.
  template <class Enum>
  Enum one_of(const std::string& key, const std::vector<std::string>& names, Enum fallback) const {
    return has(key) ? static_cast<Enum>(place_among(key, names)) : fallback;
  }
  template <class Enum, std::size_t kCount>
  Enum one_of(const std::string& key, const std::array<const char*, kCount>& names,
              Enum fallback) const {
    return one_of(key, std::vector<std::string>(names.begin(), names.end()), fallback);
  }

  [[noreturn]] void fail(const TomlPosition& position, const std::string& sentence) const {
    file_->fail(position, sentence);
  }
  [[noreturn]] void fail(const TomlNode& at, const std::string& sentence) const {
    file_->fail(at.position, sentence);
  }
  // The same with a sentence that is formatted.
  template <class At, class Part, class... Parts>
  [[noreturn]] void fail(const At& at, fmt::format_string<Part, Parts...> sentence, Part&& part,
                         Parts&&... parts) const {
    fail(at, fmt::format(sentence, std::forward<Part>(part), std::forward<Parts>(parts)...));
  }

  std::string text_of(const std::string& key, const TomlNode& node) const;
  // Text on one line, without control characters, because it becomes a part of code and commands.
  std::string line_of(const std::string& key, const TomlNode& node) const;
  Expression expression_of(const std::string& key, const TomlNode& node) const;
  // Of a text that is made from the node's.
  Expression made_expression(const TomlNode& node, const std::string& text) const;

  // Throws if the text is no identifier. `what` names it: "a name".
  void require_identifier(const TomlPosition& at, const std::string& text,
                          std::string_view what) const;
  // The text of a string that is a label, which may become part of the names of files and macros.
  std::string label_of(const std::string& key, const TomlNode& node) const;
  std::string label(const std::string& key) const { return label_of(key, need(key)); }

 private:
  std::size_t place_among(const std::string& key, const std::vector<std::string>& names) const;
  [[noreturn]] void fail_kind(const std::string& key, const TomlNode& node,
                              std::string_view wanted) const;

  const TomlFile* file_;
  const TomlNode* table_;
  std::string what_;
};

// Both have at most kLongestName characters.
bool is_identifier(std::string_view text);
// A lower-case word: a letter, then letters, digits and '_'.
bool is_label(std::string_view text);

}  // namespace tilewright
