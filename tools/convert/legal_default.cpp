#include "tools/convert/legal_default.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "definition/expression/expression.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

constexpr int kMostSteps = 1'000'000;

class DefaultSearch {
 public:
  DefaultSearch(std::vector<T1Parameter>& parameters, const std::vector<T1Condition>& conditions)
      : parameters_(parameters), ready_(parameters.size()) {
    for (const T1Condition& condition : conditions) add(condition);
  }

  void run() {
    if (!place(0)) throw InputError("no configuration fulfils all of them");
    for (T1Parameter& parameter : parameters_) parameter.default_value = chosen_[parameter.name];
  }

 private:
  // Each condition is looked at as soon as its last parameter has a value.
  void add(const T1Condition& condition) {
    std::optional<Expression> parsed;
    try {
      parsed = Expression::parse(condition.require);
    } catch (const ExpressionError& error) {
      throw InputError(fmt::format("'{}': {}", condition.python, error.what()));
    }
    const auto names = parsed->names();
    std::size_t last = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (names.contains(parameters_[i].name)) last = i;
    if (parameters_.empty()) return;
    ready_[last].push_back(std::move(*parsed));
  }

  bool place(std::size_t at) {
    if (at == parameters_.size()) return true;
    T1Parameter& parameter = parameters_[at];
    std::vector<std::int64_t> order = parameter.values;
    std::stable_partition(order.begin(), order.end(),
                          [&](std::int64_t value) { return value == parameter.default_value; });
    for (const std::int64_t value : order) {
      if (++steps_ > kMostSteps)
        throw InputError(fmt::format(
            "{} combinations were tried and none fulfils all; give a Default for each parameter",
            kMostSteps));
      chosen_[parameter.name] = value;
      if (holds(at) && place(at + 1)) return true;
    }
    chosen_.erase(parameter.name);
    return false;
  }

  bool holds(std::size_t at) const {
    const Scope scope = [this](std::string_view name) -> std::optional<Value> {
      const auto found = chosen_.find(name);
      return found == chosen_.end() ? std::nullopt : std::optional<Value>(found->second);
    };
    try {
      return std::ranges::all_of(ready_[at],
                                 [&](const Expression& one) { return one.is_true(scope); });
    } catch (const ExpressionError&) {  // such as a division by zero
      return false;
    }
  }

  std::vector<T1Parameter>& parameters_;
  std::vector<std::vector<Expression>> ready_;
  std::map<std::string, std::int64_t, std::less<>> chosen_;
  int steps_ = 0;
};

}  // namespace

void choose_legal_default(std::vector<T1Parameter>& parameters,
                          const std::vector<T1Condition>& conditions) {
  DefaultSearch(parameters, conditions).run();
}

}  // namespace tilewright::tools
