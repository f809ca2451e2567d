#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "definition/expression/expression.hpp"

namespace tilewright {

// The names that an expression may use. A name with labels has the list of its labels.
using Vocabulary = std::map<std::string, std::vector<std::string>>;

// The names of `device.*`.
Vocabulary device_vocabulary();

// Checks the expressions of one definition. Messages begin with file:line:column; if the manifest
// cannot be read any more, they name the definition and the key.
class ExpressionCheck {
 public:
  // `where` is the definition's place in its manifest: "operation", "implementation[0]";
  // `subject` names it: "implementation 'gemm/tiled'".
  ExpressionCheck(std::filesystem::path manifest, std::string where, std::string subject);

  // Throws InputError for a name that is not in the vocabulary, a label that its name cannot have,
  // and a number compared with a label. `key` is the path below `where`: "launch[0].grid[1]".
  void check(const std::string& key, const Expression& expression,
             const Vocabulary& vocabulary) const;

  [[noreturn]] void fail(const std::string& key, const std::string& sentence,
                         std::size_t offset = 0) const;

 private:
  void check_node(const std::string& key, const ExpressionNode& node,
                  const Vocabulary& vocabulary) const;
  void check_comparison(const std::string& key, const ExpressionNode& name,
                        const ExpressionNode& other, const Vocabulary& vocabulary) const;

  std::filesystem::path manifest_;
  std::string where_;
  std::string subject_;
};

}  // namespace tilewright
