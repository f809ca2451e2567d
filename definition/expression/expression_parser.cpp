#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "definition/expression/expression.hpp"
#include "definition/expression/expression_lexer.hpp"
#include "definition/expression/operators.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// Limits for hostile input. Together they limit the height of a tree, and so the stack that is
// needed to parse, evaluate and destroy it.
constexpr int kDeepestNesting = 200;

const OperatorFacts* binary_operator(const Token& token) {
  const auto found = std::ranges::find_if(kOperators, [&](const OperatorFacts& one) {
    return one.precedence > 0 && token.is(one.name);
  });
  return found == kOperators.end() ? nullptr : &*found;
}

const OperatorFacts& function(const Token& name) {
  std::vector<std::string> known;
  for (const OperatorFacts& candidate : kOperators) {
    if (candidate.least == 0) continue;
    if (candidate.name == name.text) return candidate;
    known.emplace_back(candidate.name);
  }
  throw ExpressionError(
      fmt::format("unknown function '{}'{}", beginning_of(name.text), suggestion(name.text, known)),
      name.position);
}

void check_argument_count(const OperatorFacts& called, std::size_t given, std::size_t position) {
  if (given >= called.least && given <= called.most) return;
  const std::string wanted =
      called.most == kAnyNumber
          ? fmt::format("at least {} arguments", called.least)
          : fmt::format("{} argument{}", called.least, called.least == 1 ? "" : "s");
  throw ExpressionError(fmt::format("{} takes {}, not {}", called.name, wanted, given), position);
}

// A term where it is used.
struct UsedTerm {
  std::size_t position;
  std::size_t length;
  const Expression* expression;
};

void move_to(ExpressionNode& node, std::size_t position) {
  node.position = position;
  for (ExpressionNode& child : node.children) move_to(child, position);
}

// Recursive descent; each function leaves `token_` on the first token that it did not use.
class Parser {
 public:
  Parser(std::string_view text, Lexer::Numbers numbers, const Terms* terms = nullptr)
      : lexer_(text, numbers), numbers_(numbers), token_(lexer_.next()), terms_(terms) {}

  ExpressionNode whole() {
    ExpressionNode root = conditional();
    if (token_.kind != Token::Kind::end) fail("an operator or the end");
    return root;
  }

  // In the order of the text.
  const std::vector<UsedTerm>& used_terms() const { return used_terms_; }

 private:
  // Counts the nesting as long as it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestNesting)
        throw ExpressionError(fmt::format("nested more than {} deep", kDeepestNesting),
                              parser_.token_.position);
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  ExpressionNode conditional() {
    const Level level(*this);
    ExpressionNode condition = binary(1);
    if (!token_.is("?")) return condition;
    const Token question = advance();
    std::vector<ExpressionNode> children;
    children.push_back(std::move(condition));
    children.push_back(conditional());
    expect(":");
    children.push_back(conditional());
    return node_of(Operator::conditional, std::move(children), question.position);
  }

  ExpressionNode binary(int least_precedence) {
    ExpressionNode left = unary();
    bool compared = false;
    for (;;) {
      const OperatorFacts* const found = binary_operator(token_);
      if (found == nullptr || found->precedence < least_precedence) return left;
      if (found->precedence == kComparisonPrecedence && std::exchange(compared, true))
        throw ExpressionError("comparisons do not chain; write a < b && b < c, or use parentheses",
                              token_.position);
      const Token symbol = advance();
      std::vector<ExpressionNode> children;
      children.push_back(std::move(left));
      children.push_back(binary(found->precedence + 1));
      left = node_of(found->op, std::move(children), symbol.position);
    }
  }

  ExpressionNode unary() {
    if (!token_.is("-") && !token_.is("!")) return primary();
    const Level level(*this);
    const Token symbol = advance();
    if (symbol.is("-") && token_.kind == Token::Kind::number) return number(advance(), true);
    std::vector<ExpressionNode> children;
    children.push_back(unary());
    const Operator op = symbol.is("-") ? Operator::negate : Operator::logical_not;
    return node_of(op, std::move(children), symbol.position);
  }

  ExpressionNode primary() {
    switch (token_.kind) {
      case Token::Kind::number:
        return number(advance(), false);
      case Token::Kind::label: {
        const Token label = advance();
        return ExpressionNode{Operator::label, 0, std::string(label.text), label.position, {}};
      }
      case Token::Kind::name: {
        const Token name = advance();
        if (token_.is("(")) return call(name);
        if (const Expression* const term = find_term(name)) return use(*term, name);
        return ExpressionNode{Operator::name, 0, std::string(name.text), name.position, {}};
      }
      default:
        break;
    }
    if (!token_.is("(")) fail("a number, a name, a label, a function or '('");
    advance();
    ExpressionNode inner = conditional();
    expect(")");
    return inner;
  }

  const Expression* find_term(const Token& name) const {
    if (terms_ == nullptr) return nullptr;
    const auto found = terms_->find(name.text);
    return found == terms_->end() ? nullptr : &found->second;
  }

  ExpressionNode use(const Expression& term, const Token& name) {
    used_terms_.push_back({name.position, name.text.size(), &term});
    length_of_terms_ += term.text().size();
    if (length_of_terms_ > kLongestExpression)  // before many copies of it fill the memory
      throw ExpressionError(
          fmt::format("longer than {} characters with its terms written out", kLongestExpression),
          name.position);
    ExpressionNode root = term.root();
    move_to(root, name.position);
    return root;
  }

  ExpressionNode number(const Token& token, bool negative) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (!negative && token.number > most)
      throw ExpressionError(fmt::format("{} does not fit into 64 bits", token.text),
                            token.position);
    // For 2^63, the magnitude of the least integer, the conversion wraps to the right value.
    const auto value = static_cast<std::int64_t>(negative ? 0 - token.number : token.number);
    ExpressionNode node{Operator::number, value, {}, token.position, {}};
    if (token.divisor == 1) return node;
    ExpressionNode divisor{Operator::number, token.divisor, {}, token.position, {}};
    return node_of(Operator::floor_divide, {std::move(node), std::move(divisor)}, token.position);
  }

  ExpressionNode call(const Token& name) {
    const OperatorFacts& called = function(name);
    if (called.op == Operator::square_root && numbers_ == Lexer::Numbers::whole)
      throw ExpressionError("sqrt gives a real number; this is an expression of whole numbers",
                            name.position);
    expect("(");
    std::vector<ExpressionNode> arguments;
    if (!token_.is(")")) {
      arguments.push_back(conditional());
      while (token_.is(",")) {
        advance();
        arguments.push_back(conditional());
      }
    }
    if (!token_.is(")")) fail("',' or ')'");
    advance();
    check_argument_count(called, arguments.size(), name.position);
    if (called.op == Operator::size_of && arguments[0].op != Operator::name)
      throw ExpressionError("size_of takes the name of an argument", arguments[0].position);
    return node_of(called.op, std::move(arguments), name.position);
  }

  Token advance() { return std::exchange(token_, lexer_.next()); }

  void expect(std::string_view symbol) {
    if (!token_.is(symbol)) fail(fmt::format("'{}'", symbol));
    advance();
  }

  [[noreturn]] void fail(std::string_view wanted) const {
    std::string hint;
    if (token_.text == "and") hint = "; logical and is '&&'";
    if (token_.text == "or") hint = "; logical or is '||'";
    if (token_.text == "not") hint = "; logical not is '!'";
    throw ExpressionError(fmt::format("expected {}, found {}{}", wanted, describe(token_), hint),
                          token_.position);
  }

  Lexer lexer_;
  Lexer::Numbers numbers_;
  Token token_;
  const Terms* terms_;
  std::vector<UsedTerm> used_terms_;
  std::size_t length_of_terms_ = 0;
  int depth_ = 0;
};

void check_length(std::string_view text) {
  if (text.size() > kLongestExpression)
    throw ExpressionError(
        fmt::format("{} characters; an expression has at most {}", text.size(), kLongestExpression),
        kLongestExpression);
}

std::string written_out(std::string_view text, const std::vector<UsedTerm>& terms) {
  std::string whole;
  std::size_t done = 0;
  for (const UsedTerm& term : terms) {
    whole +=
        fmt::format("{}({})", text.substr(done, term.position - done), term.expression->text());
    done = term.position + term.length;
  }
  return whole.append(text.substr(done));
}

}  // namespace

Expression Expression::parse(std::string_view text, const Terms& terms) {
  check_length(text);
  Parser parser(text, Lexer::Numbers::whole, &terms);
  ExpressionNode root = parser.whole();
  if (parser.used_terms().empty()) return {std::string(text), std::move(root)};
  std::string whole = written_out(text, parser.used_terms());
  try {
    parse(whole);  // it keeps the limits, too
  } catch (const ExpressionError& error) {
    throw ExpressionError(fmt::format("with its terms written out: {}", error.what()), 0);
  }
  return {std::move(whole), std::string(text), std::move(root)};
}

Expression Expression::parse(std::string_view text) {
  return parse(text, {});
}

Expression Expression::parse_real(std::string_view text) {
  check_length(text);
  return {std::string(text), Parser(text, Lexer::Numbers::real).whole()};
}

}  // namespace tilewright
