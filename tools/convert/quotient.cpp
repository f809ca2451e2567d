#include "tools/convert/quotient.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"
#include "tools/convert/quotient_parts.hpp"

namespace tilewright::tools {
namespace {

using NodeKind = PythonNode::Kind;

constexpr const char* kAccepted =
    "accepted are whole and decimal numbers, names of parameters, + - * / // % **, comparisons, "
    "in, and, or, not, if else, min, max, abs, int, ceil and floor";
constexpr std::int64_t kMostPower = 16;

class Translator {
 public:
  Translator(const PythonExpression& expression, const ManifestNames& names)
      : expression_(expression), names_(names) {}

  Quotient of(const PythonNode& node) const {
    switch (node.kind) {
      case NodeKind::number:
        return decimal(node.text);
      case NodeKind::label:
        throw Refused(fmt::format("'{}' is no number; labels can only be compared, with == or !=",
                                  node.text));
      case NodeKind::name:
        return name(node);
      case NodeKind::unary:
        return unary(node);
      case NodeKind::binary:
        return binary(node);
      case NodeKind::comparison:
        return comparison(node);
      case NodeKind::all:
        return joined(node, " && ", Binding::all);
      case NodeKind::any:
        return joined(node, " || ", Binding::any);
      case NodeKind::conditional:
        return conditional(node);
      case NodeKind::call:
        return call(node);
      default:
        throw no_counterpart(node);
    }
  }

 private:
  Refused no_counterpart(const PythonNode& node) const {
    return Refused(
        fmt::format("'{}' has no counterpart; {}", expression_.text_of(node), kAccepted));
  }

  Quotient name(const PythonNode& node) const {
    if (node.text == "True" || node.text == "False") return number(node.text == "True");
    if (const auto found = names_.find(node.text); found != names_.end())
      return {found->second.text, Binding::atom, found->second.least};
    std::string known;
    for (const auto& [name, value] : names_) known += (known.empty() ? "" : ", ") + name;
    throw Refused(fmt::format("'{}' is no parameter; there are: {}", node.text,
                              known.empty() ? "none" : known));
  }

  Quotient unary(const PythonNode& node) const {
    const PythonNode& operand = node.children.front();
    if (node.text == "+") return of(operand);
    if (node.text == "not") return {"!" + of(operand).within(Binding::unary), Binding::unary, 0};
    if (node.text != "-") throw no_counterpart(node);
    const Quotient value = of(operand);
    if (const auto whole = whole_literal(value)) return number(-*whole);
    return over({"-" + value.within(Binding::unary), Binding::unary}, denominator(value));
  }

  Quotient binary(const PythonNode& node) const {
    if (node.text == "**") return power(node);
    const Quotient a = of(node.children[0]);
    const Quotient b = of(node.children[1]);
    if (node.text == "+" || node.text == "-") return sum(a, b, node.text);
    if (node.text == "*")
      return over(product(numerator(a), numerator(b)), product(denominator(a), denominator(b)));
    if (node.text == "/") return divided(a, b, expression_.text_of(node.children[1]));
    if (node.text == "//") return floor_of(a, b);
    if (node.text == "%") return remainder(a, b);
    throw no_counterpart(node);
  }

  Quotient power(const PythonNode& node) const {
    const Quotient base = of(node.children[0]);
    const Quotient exponent = of(node.children[1]);
    const auto times = whole_literal(exponent);
    if (!times || *times > kMostPower)
      throw Refused(fmt::format("the exponent of '{}' must be a number from 0 to {}",
                                expression_.text_of(node), kMostPower));
    Quotient result = number(1);
    for (std::int64_t i = 0; i < *times; ++i)
      result = over(product(numerator(result), numerator(base)),
                    product(denominator(result), denominator(base)));
    return result;
  }

  Quotient joined(const PythonNode& node, const char* sign, Binding binding) const {
    const auto tighter = static_cast<Binding>(static_cast<int>(binding) + 1);
    std::string text;
    for (const PythonNode& child : node.children)
      text += (text.empty() ? "" : sign) + of(child).within(tighter);
    return {text, binding, 0};
  }

  Quotient conditional(const PythonNode& node) const {
    const Quotient condition = of(node.children[0]);
    const Common sides = on_one_denominator(of(node.children[1]), of(node.children[2]));
    std::optional<std::int64_t> least;
    if (sides.a.least && sides.b.least) least = std::min(*sides.a.least, *sides.b.least);
    return over({fmt::format("{} ? {} : {}", condition.within(Binding::any),
                             sides.a.within(Binding::any), sides.b.within(Binding::any)),
                 Binding::choice, least},
                sides.denominator);
  }

  Quotient comparison(const PythonNode& node) const {
    std::vector<Quotient> parts;
    for (std::size_t i = 0; i < node.operators.size(); ++i)
      parts.push_back(pair(node, node.children[i], node.operators[i], node.children[i + 1]));
    if (parts.size() == 1) return parts.front();
    std::string text;
    for (const Quotient& part : parts)
      text += (text.empty() ? "" : " && ") + part.within(Binding::comparison);
    return {text, Binding::all, 0};
  }

  Quotient pair(const PythonNode& whole, const PythonNode& left, const std::string& sign,
                const PythonNode& right) const {
    if (sign == "in" || sign == "not in") return member(left, sign, right);
    if (sign.starts_with("is")) throw no_counterpart(whole);
    return compared(of(left), sign, of(right));
  }

  static Quotient compared(const Quotient& left, const std::string& sign, const Quotient& right) {
    const Common sides = on_one_denominator(left, right);
    return {
        fmt::format("{} {} {}", sides.a.within(Binding::sum), sign, sides.b.within(Binding::sum)),
        Binding::comparison, 0};
  }

  Quotient member(const PythonNode& left, const std::string& sign, const PythonNode& right) const {
    if (right.kind != NodeKind::list || right.children.empty())
      throw Refused(fmt::format("'{}' must be a list with the values", expression_.text_of(right)));
    std::string text;
    for (const PythonNode& value : right.children)
      text += (text.empty() ? "" : " || ") + compared(of(left), "==", of(value)).text;
    if (sign == "not in") return {"!(" + text + ")", Binding::unary, 0};
    return {text, right.children.size() > 1 ? Binding::any : Binding::comparison, 0};
  }

  Quotient call(const PythonNode& node) const {
    std::vector<Quotient> given;
    for (const PythonNode& child : node.children) given.push_back(of(child));
    const bool whole = std::ranges::all_of(given, [](const Quotient& one) { return !one.over; });
    const std::string& name = node.text;
    if ((name == "min" || name == "max") && !given.empty() && whole) return extreme(name, given);
    if (given.size() != 1) throw no_counterpart(node);
    const Quotient& value = given.front();
    if (name == "ceil" || name == "math.ceil") return ceiling(value);
    if (name == "floor" || name == "math.floor") return floor_of(value, number(1));
    if (name == "int" && (whole || value.least.value_or(-1) >= 0))
      return floor_of(value, number(1));
    if (name == "abs")
      return over({"abs(" + value.text + ")", Binding::atom, 0}, denominator(value));
    throw no_counterpart(node);
  }

  static Quotient extreme(const std::string& name, const std::vector<Quotient>& given) {
    std::string text;
    for (const Quotient& one : given) text += (text.empty() ? "" : ", ") + one.text;
    std::optional<std::int64_t> least = given.front().least;
    for (const Quotient& one : given) {
      if (name == "max" && one.least && one.least > least) least = one.least;
      if (name == "min" && (!one.least || !least)) least = std::nullopt;
      if (name == "min" && least) least = std::min(*least, *one.least);
    }
    return {fmt::format("{}({})", name, text), Binding::atom, least};
  }

  const PythonExpression& expression_;
  const ManifestNames& names_;
};

}  // namespace

std::string Quotient::within(Binding outer) const {
  return binding >= outer ? text : "(" + text + ")";
}

Quotient translated(const PythonExpression& expression, const ManifestNames& names) {
  try {
    return Translator(expression, names).of(expression.root);
  } catch (const Refused& refused) {
    throw InputError(fmt::format("'{}': {}", short_text(expression.text), refused.what()));
  }
}

Quotient translated(std::string_view text, const ManifestNames& names) {
  return translated(parse_python(text), names);
}

Quotient grid_extent(Quotient extent, const std::vector<Quotient>& divisors) {
  try {
    for (const Quotient& divisor : divisors) extent = divided(extent, divisor, divisor.text);
  } catch (const Refused& refused) {
    throw InputError(refused.what());
  }
  return ceiling(extent);
}

}  // namespace tilewright::tools
