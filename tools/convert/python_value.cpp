#include "tools/convert/python_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>

#include "tilewright/error.hpp"
#include "tools/convert/python_node.hpp"

namespace tilewright::tools {
namespace {

using NodeKind = PythonNode::Kind;
using Integer = std::int64_t;

class NoValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void beyond() {
  throw NoValue("it needs more than 64 bits");
}

Integer floor_quotient(Integer a, Integer b) {
  if (b == 0) throw NoValue("it divides by zero");
  if (b == -1) return a == std::numeric_limits<Integer>::min() ? (beyond(), 0) : -a;
  const Integer quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Integer power(Integer base, Integer exponent) {
  if (exponent < 0) throw NoValue("an exponent is negative");
  constexpr Integer kMostPower = 64;
  if (exponent > kMostPower) beyond();
  Integer result = 1;
  for (Integer i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) beyond();
  return result;
}

Integer arithmetic(const std::string& sign, Integer a, Integer b) {
  Integer result = 0;
  if (sign == "+" && !__builtin_add_overflow(a, b, &result)) return result;
  if (sign == "-" && !__builtin_sub_overflow(a, b, &result)) return result;
  if (sign == "*" && !__builtin_mul_overflow(a, b, &result)) return result;
  if (sign == "//") return floor_quotient(a, b);
  if (sign == "%") return b == -1 ? 0 : a - floor_quotient(a, b) * b;
  if (sign == "**") return power(a, b);
  if (sign == "+" || sign == "-" || sign == "*") beyond();
  throw NoValue(fmt::format("'{}' gives no integer", sign));
}

bool holds(const std::string& sign, Integer a, Integer b) {
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  if (sign == ">=") return a >= b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  throw NoValue(fmt::format("'{}' is not known here", sign));
}

class Evaluation {
 public:
  Evaluation(const PythonExpression& expression, PythonValues names)
      : expression_(expression), names_(std::move(names)) {}

  PythonValue of(const PythonNode& node) {
    if (++steps_ > kMostSteps) throw NoValue("it takes too many steps");
    switch (node.kind) {
      case NodeKind::number:
        return literal(node);
      case NodeKind::name:
        return name(node);
      case NodeKind::unary:
        return unary(node);
      case NodeKind::binary:
        return binary(node);
      case NodeKind::comparison:
        return Integer{is_true(node)};
      case NodeKind::all:
        return Integer{
            std::ranges::all_of(node.children, [&](const auto& one) { return truth(one); })};
      case NodeKind::any:
        return Integer{
            std::ranges::any_of(node.children, [&](const auto& one) { return truth(one); })};
      case NodeKind::conditional:
        return of(node.children[truth(node.children[0]) ? 1 : 2]);
      case NodeKind::call:
        return call(node);
      case NodeKind::list:
        return list(node);
      case NodeKind::comprehension:
        return comprehension(node);
      case NodeKind::subscript:
        return subscript(node);
      default:
        throw not_known(node);
    }
  }

  Integer integer(const PythonNode& node) {
    const PythonValue value = of(node);
    if (const auto* integer = std::get_if<Integer>(&value)) return *integer;
    throw NoValue(fmt::format("'{}' is a list", expression_.text_of(node)));
  }

 private:
  static constexpr int kMostSteps = 1'000'000;

  NoValue not_known(const PythonNode& node) const {
    return NoValue(fmt::format("'{}' is not known here", expression_.text_of(node)));
  }

  PythonList elements(const PythonNode& node) {
    PythonValue value = of(node);
    if (auto* list = std::get_if<PythonList>(&value)) return std::move(*list);
    throw NoValue(fmt::format("'{}' is no list", expression_.text_of(node)));
  }

  bool truth(const PythonNode& node) { return integer(node) != 0; }

  static PythonList limited(PythonList list) {
    if (list.size() > kMostPythonElements)
      throw NoValue(fmt::format("a list has more than {} elements", kMostPythonElements));
    return list;
  }

  static PythonValue literal(const PythonNode& node) {
    Integer value = 0;
    const char* last = node.text.data() + node.text.size();
    const auto [end, error] = std::from_chars(node.text.data(), last, value);
    if (error == std::errc::result_out_of_range) beyond();
    if (error != std::errc{} || end != last)
      throw NoValue(fmt::format("{} is no integer", node.text));
    return value;
  }

  PythonValue name(const PythonNode& node) const {
    if (node.text == "True" || node.text == "False") return Integer{node.text == "True"};
    if (const auto found = names_.find(node.text); found != names_.end()) return found->second;
    throw not_known(node);
  }

  PythonValue unary(const PythonNode& node) {
    const Integer value = integer(node.children.front());
    if (node.text == "+") return value;
    if (node.text == "-") return arithmetic("-", 0, value);
    if (node.text == "not") return Integer{value == 0};
    throw not_known(node);
  }

  PythonValue binary(const PythonNode& node) {
    const PythonValue a = of(node.children[0]);
    const PythonValue b = of(node.children[1]);
    const auto* x = std::get_if<Integer>(&a);
    const auto* y = std::get_if<Integer>(&b);
    if (x != nullptr && y != nullptr) return arithmetic(node.text, *x, *y);
    if (x != nullptr || y != nullptr || node.text != "+") throw not_known(node);
    PythonList joined = std::get<PythonList>(a);
    const auto& more = std::get<PythonList>(b);
    joined.insert(joined.end(), more.begin(), more.end());
    return limited(std::move(joined));
  }

  bool is_true(const PythonNode& node) {
    for (std::size_t i = 0; i < node.operators.size(); ++i)
      if (!holds(node.operators[i], integer(node.children[i]), integer(node.children[i + 1])))
        return false;
    return true;
  }

  PythonValue list(const PythonNode& node) {
    PythonList found;
    for (const PythonNode& child : node.children) found.push_back(integer(child));
    return limited(std::move(found));
  }

  PythonValue comprehension(const PythonNode& node) {
    const auto before =
        names_.find(node.text) != names_.end() ? std::optional(names_.at(node.text)) : std::nullopt;
    PythonList found;
    for (const Integer one : elements(node.children[1])) {
      names_[node.text] = one;
      bool taken = true;
      for (std::size_t i = 2; i < node.children.size(); ++i)
        taken = taken && truth(node.children[i]);
      if (taken) found.push_back(integer(node.children.front()));
    }
    names_.erase(node.text);
    if (before) names_[node.text] = *before;
    return limited(std::move(found));
  }

  PythonValue subscript(const PythonNode& node) {
    const PythonList list = elements(node.children[0]);
    Integer index = integer(node.children[1]);
    const auto count = static_cast<Integer>(list.size());
    if (index < 0) index += count;
    if (index < 0 || index >= count)
      throw NoValue(fmt::format("'{}' is beyond the list", expression_.text_of(node)));
    return list[static_cast<std::size_t>(index)];
  }

  PythonValue call(const PythonNode& node) {
    if (node.text == "range") return range(node);
    if (node.text == "int" && node.children.size() == 1) return integer(node.children.front());
    // min, max and sum of integers, or of one list.
    PythonList given;
    if (node.children.size() == 1)
      given = elements(node.children.front());
    else
      for (const PythonNode& child : node.children) given.push_back(integer(child));
    const bool one = node.children.size() == 1;
    if (node.text == "list" && one) return given;
    if (node.text == "len" && one) return static_cast<Integer>(given.size());
    if (node.text == "sum" && one) {
      Integer total = 0;
      for (const Integer value : given) total = arithmetic("+", total, value);
      return total;
    }
    if (given.empty() || (node.text != "min" && node.text != "max")) throw not_known(node);
    return node.text == "min" ? std::ranges::min(given) : std::ranges::max(given);
  }

  PythonValue range(const PythonNode& node) {
    PythonList given;
    for (const PythonNode& child : node.children) given.push_back(integer(child));
    if (given.empty() || given.size() > 3) throw not_known(node);
    if (given.size() == 1) given.insert(given.begin(), 0);
    const Integer step = given.size() == 3 ? given[2] : 1;
    if (step == 0) throw NoValue("the step of a range is zero");
    PythonList found;
    for (Integer at = given[0]; step > 0 ? at < given[1] : at > given[1];) {
      found.push_back(at);
      if (found.size() > kMostPythonElements) break;
      if (__builtin_add_overflow(at, step, &at)) break;
    }
    return limited(std::move(found));
  }

  const PythonExpression& expression_;
  PythonValues names_;
  int steps_ = 0;
};

template <class Work>
auto explained(std::string_view text, const Work& work) {
  try {
    return work();
  } catch (const NoValue& error) {
    throw InputError(fmt::format("'{}': {}", short_text(text), error.what()));
  }
}

}  // namespace

PythonValue python_value(std::string_view text, const PythonValues& names) {
  const PythonExpression expression = parse_python(text);
  return explained(text, [&] { return Evaluation(expression, names).of(expression.root); });
}

std::int64_t python_integer(std::string_view text, const PythonValues& names) {
  const PythonExpression expression = parse_python(text);
  return explained(text, [&] { return Evaluation(expression, names).integer(expression.root); });
}

PythonList python_list(std::string_view text) {
  PythonValue value = python_value(text);
  if (auto* list = std::get_if<PythonList>(&value)) return std::move(*list);
  throw InputError(fmt::format("'{}' is no list", short_text(text)));
}

}  // namespace tilewright::tools
