#pragma once

#include <cstdint>
#include <string_view>

#include "definition/expression/expression.hpp"

namespace tilewright {

// Limits for hostile input. Together they limit the height of a tree, and so the stack that is
// needed to parse, evaluate and destroy it.
inline constexpr std::size_t kLongestExpression = 4096;  // characters
inline constexpr int kDeepestNesting = 200;

// Throws ExpressionError.
ExpressionNode parse_expression(std::string_view text);

// Throws ExpressionError.
std::int64_t evaluate_tree(const ExpressionNode& root, const Scope& scope);

}  // namespace tilewright
