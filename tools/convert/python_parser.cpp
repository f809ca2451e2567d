#include <fmt/format.h>

#include <array>
#include <utility>

#include "tilewright/error.hpp"
#include "tools/convert/python_lexer.hpp"
#include "tools/convert/python_node.hpp"

namespace tilewright::tools {
namespace {

using NodeKind = PythonNode::Kind;
using Symbols = std::initializer_list<std::string_view>;

// Binary operators, from those that bind least.
constexpr std::size_t kSums = 4;
const std::array<std::vector<std::string_view>, 6> kBinary = {std::vector<std::string_view>{"|"},
                                                              {"^"},
                                                              {"&"},
                                                              {"<<", ">>"},
                                                              {"+", "-"},
                                                              {"*", "/", "//", "%"}};
static_assert(kSums < kBinary.size());

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(python_tokens(text)) {}

  PythonNode whole() {
    PythonNode root = expression();
    if (ahead().kind != PythonToken::Kind::end)
      throw std::invalid_argument(fmt::format("'{}' is not expected", ahead().text));
    return root;
  }

 private:
  const PythonToken& ahead() const { return tokens_[at_]; }

  bool take(std::string_view text) {
    if (!ahead().is(text)) return false;
    ++at_;
    return true;
  }

  void need(std::string_view text) {
    if (!take(text)) throw std::invalid_argument(fmt::format("'{}' is missing", text));
  }

  // The end of what was read, which began with the node or the token at `begin`.
  PythonNode node(NodeKind kind, std::size_t begin, std::vector<PythonNode> children,
                  std::string text = {}) const {
    return {kind, std::move(text), std::move(children), {}, begin, tokens_[at_ - 1].end};
  }

  class Deeper {
   public:
    explicit Deeper(int& depth) : depth_(depth) {
      if (++depth_ > kDeepestPython)
        throw std::invalid_argument(fmt::format("it is nested more than {} deep", kDeepestPython));
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth_; }

   private:
    int& depth_;
  };

  PythonNode expression() {
    const Deeper deeper(depth_);
    const std::size_t begin = ahead().begin;
    if (take("lambda")) return the_rest(begin);
    PythonNode value = disjunction();
    if (!take("if")) return value;
    PythonNode condition = disjunction();
    need("else");
    PythonNode other = expression();
    return node(NodeKind::conditional, begin,
                children(std::move(condition), std::move(value), std::move(other)));
  }

  // What has no counterpart in any case.
  PythonNode the_rest(std::size_t begin) {
    at_ = tokens_.size() - 1;
    return node(NodeKind::unknown, begin, {});
  }

  template <class... Nodes>
  static std::vector<PythonNode> children(Nodes... nodes) {
    std::vector<PythonNode> all;
    (all.push_back(std::move(nodes)), ...);
    return all;
  }

  PythonNode disjunction() { return joined("or", NodeKind::any, &Parser::conjunction); }
  PythonNode conjunction() { return joined("and", NodeKind::all, &Parser::negation); }

  PythonNode joined(std::string_view word, NodeKind kind, PythonNode (Parser::*part)()) {
    const std::size_t begin = ahead().begin;
    PythonNode first = (this->*part)();
    if (!ahead().is(word)) return first;
    std::vector<PythonNode> parts = children(std::move(first));
    while (take(word)) parts.push_back((this->*part)());
    return node(kind, begin, std::move(parts));
  }

  PythonNode negation() {
    const Deeper deeper(depth_);
    const std::size_t begin = ahead().begin;
    if (!take("not")) return comparison();
    PythonNode value = negation();
    return node(NodeKind::unary, begin, children(std::move(value)), "not");
  }

  std::string comparison_sign() {
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">", "in"})
      if (take(sign)) return std::string(sign);
    if (take("is")) return take("not") ? "is not" : "is";
    if (!ahead().is("not") || !tokens_[at_ + 1].is("in")) return {};
    at_ += 2;
    return "not in";
  }

  PythonNode comparison() {
    const std::size_t begin = ahead().begin;
    std::vector<PythonNode> sides = children(binary(0));
    std::vector<std::string> signs;
    for (std::string sign = comparison_sign(); !sign.empty(); sign = comparison_sign()) {
      signs.push_back(std::move(sign));
      sides.push_back(binary(0));
    }
    if (signs.empty()) return std::move(sides.front());
    PythonNode whole = node(NodeKind::comparison, begin, std::move(sides));
    whole.operators = std::move(signs);
    return whole;
  }

  PythonNode binary(std::size_t level) {
    if (level == kBinary.size()) return unary();
    const std::size_t begin = ahead().begin;
    PythonNode left = binary(level + 1);
    int chained = 0;
    for (std::string sign = binary_sign(level); !sign.empty(); sign = binary_sign(level)) {
      if (depth_ + ++chained > kDeepestPython)  // the tree leans to the left
        throw std::invalid_argument(fmt::format("it is nested more than {} deep", kDeepestPython));
      PythonNode right = binary(level + 1);
      left = node(NodeKind::binary, begin, children(std::move(left), std::move(right)), sign);
    }
    return left;
  }

  std::string binary_sign(std::size_t level) {
    for (const std::string_view sign : kBinary.at(level))
      if (take(sign)) return std::string(sign);
    return {};
  }

  PythonNode unary() {
    const Deeper deeper(depth_);
    const std::size_t begin = ahead().begin;
    for (const std::string_view sign : {"-", "+", "~"}) {
      if (!take(sign)) continue;
      PythonNode value = unary();
      return node(NodeKind::unary, begin, children(std::move(value)), std::string(sign));
    }
    PythonNode base = postfix();
    if (!take("**")) return base;
    PythonNode power = unary();
    return node(NodeKind::binary, begin, children(std::move(base), std::move(power)), "**");
  }

  PythonNode postfix() {
    const std::size_t begin = ahead().begin;
    PythonNode value = atom();
    while (true) {
      if (take("(")) {
        const bool named = value.kind == NodeKind::name;
        std::string name = value.text;
        std::vector<PythonNode> given = listed(")");
        value = node(named ? NodeKind::call : NodeKind::unknown, begin, std::move(given),
                     std::move(name));
      } else if (take("[")) {
        PythonNode index = expression();
        need("]");
        value = node(NodeKind::subscript, begin, children(std::move(value), std::move(index)));
      } else if (take(".")) {
        if (ahead().kind != PythonToken::Kind::name)
          throw std::invalid_argument("a name is missing");
        const bool named = value.kind == NodeKind::name;
        std::string name = value.text + "." + ahead().text;
        ++at_;
        value = node(named ? NodeKind::name : NodeKind::unknown, begin, {}, std::move(name));
      } else {
        return value;
      }
    }
  }

  // Expressions with commas between them, up to the closing sign.
  std::vector<PythonNode> listed(std::string_view close) {
    std::vector<PythonNode> parts;
    while (!take(close)) {
      parts.push_back(expression());
      if (take(close)) break;
      need(",");
    }
    return parts;
  }

  PythonNode atom() {
    using Token = PythonToken::Kind;
    const PythonToken token = ahead();
    if (token.kind == Token::end) throw std::invalid_argument("it ends too early");
    ++at_;
    switch (token.kind) {
      case Token::number:
        return node(NodeKind::number, token.begin, {}, token.text);
      case Token::label:
        return node(NodeKind::label, token.begin, {}, token.text);
      case Token::name:
        return named(token);
      default:
        break;
    }
    if (token.text == "(") return parenthesised(token.begin);
    if (token.text == "{") return node(NodeKind::list, token.begin, listed("}"));
    if (token.text == "[") return list(token.begin);
    throw std::invalid_argument(fmt::format("'{}' is not expected", token.text));
  }

  PythonNode named(const PythonToken& token) const {
    for (const std::string_view word :
         {"if", "else", "for", "in", "and", "or", "not", "is", "lambda"})
      if (token.text == word)
        throw std::invalid_argument(fmt::format("'{}' is not expected", token.text));
    return node(NodeKind::name, token.begin, {}, token.text);
  }

  PythonNode parenthesised(std::size_t begin) {
    if (take(")")) return node(NodeKind::list, begin, {});
    PythonNode first = expression();
    if (take(")")) return first;
    need(",");
    std::vector<PythonNode> parts = listed(")");
    parts.insert(parts.begin(), std::move(first));
    return node(NodeKind::list, begin, std::move(parts));
  }

  PythonNode list(std::size_t begin) {
    if (take("]")) return node(NodeKind::list, begin, {});
    PythonNode first = expression();
    if (!take("for")) {
      std::vector<PythonNode> parts = children(std::move(first));
      if (!take("]")) {
        need(",");
        for (PythonNode& part : listed("]")) parts.push_back(std::move(part));
      }
      return node(NodeKind::list, begin, std::move(parts));
    }
    if (ahead().kind != PythonToken::Kind::name) throw std::invalid_argument("a name is missing");
    std::string variable = ahead().text;
    ++at_;
    need("in");
    std::vector<PythonNode> parts = children(std::move(first), disjunction());
    while (take("if")) parts.push_back(disjunction());
    need("]");
    return node(NodeKind::comprehension, begin, std::move(parts), std::move(variable));
  }

  std::vector<PythonToken> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string short_text(std::string_view text) {
  constexpr std::size_t kMostShown = 120;
  return text.size() <= kMostShown ? std::string(text)
                                   : std::string(text.substr(0, kMostShown)) + "…";
}

PythonExpression parse_python(std::string_view text) {
  if (text.size() > kLongestPython)
    throw InputError(
        fmt::format("'{}' is longer than {} characters", short_text(text), kLongestPython));
  try {
    return {std::string(text), Parser(text).whole()};
  } catch (const std::invalid_argument& error) {
    throw InputError(
        fmt::format("'{}' is no expression of Python: {}", short_text(text), error.what()));
  }
}

}  // namespace tilewright::tools
