#include "tuner/space/open_rules.hpp"

#include <algorithm>

namespace tilewright {
namespace {

void insert(std::vector<std::int64_t>& bits, std::size_t rule) {
  bits[rule / 64] |= static_cast<std::int64_t>(std::uint64_t{1} << (rule % 64));
}

bool have_common(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] & b[i]) != 0) return true;
  return false;
}

// The number of combinations of the bound parameters that open rules mention.
double width(const std::vector<std::size_t>& value_counts,
             const std::vector<std::vector<std::size_t>>& rules, const std::vector<bool>& bound) {
  const auto is_bound = [&](std::size_t parameter) { return bound[parameter]; };
  std::vector<bool> counted(bound.size(), false);
  double width = 1;
  for (const std::vector<std::size_t>& rule : rules) {
    if (std::all_of(rule.begin(), rule.end(), is_bound)) continue;
    for (const std::size_t parameter : rule) {
      if (!bound[parameter] || counted[parameter]) continue;
      counted[parameter] = true;
      width *= static_cast<double>(value_counts[parameter]);
    }
  }
  return width;
}

}  // namespace

OpenRules::OpenRules(const Formulas& formulas, const std::vector<FormulaId>& rules,
                     const std::vector<std::size_t>& order)
    : rule_count_(rules.size()),
      words_(rules.size() / 64 + 1),
      order_(order),
      closing_(order.size() + 1),
      mentioned_by_(order.size(), std::vector<std::int64_t>(words_, 0)),
      parts_(order.size() + 1) {
  std::vector<std::size_t> bound_at(order.size());  // depth, by parameter
  for (std::size_t i = 0; i < order.size(); ++i) bound_at[order[i]] = i + 1;
  const std::vector<std::size_t> depths = depths_of(formulas, bound_at);
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    for (const std::size_t parameter : parameters_below(formulas, rules[rule]))
      insert(mentioned_by_[parameter], rule);
    const std::size_t last = depths[rules[rule]];
    closing_[last].push_back(rule);
    for (std::size_t depth = 1; depth < last; ++depth)
      collect_parts(formulas, depths, rules[rule], rule, depth);
  }
}

void OpenRules::collect_parts(const Formulas& formulas, const std::vector<std::size_t>& depths,
                              FormulaId formula, std::size_t rule, std::size_t depth) {
  if (depths[formula] == 0) return;
  if (depths[formula] > depth) {
    for (const FormulaId operand : formulas[formula].operands())
      collect_parts(formulas, depths, operand, rule, depth);
    return;
  }
  std::vector<Part>& parts = parts_[depth];
  auto part = std::ranges::find(parts, formula, &Part::formula);
  if (part == parts.end())
    part = parts.insert(parts.end(), {formula, std::vector<std::int64_t>(words_, 0)});
  insert(part->needed_by, rule);
}

std::vector<std::int64_t> OpenRules::all() const {
  std::vector<std::int64_t> bits(words_, 0);
  for (std::size_t rule = 0; rule < rule_count_; ++rule) insert(bits, rule);
  return bits;
}

bool OpenRules::any(Words open) const {
  return std::any_of(open.begin(), open.end(), [](std::int64_t word) { return word != 0; });
}

bool OpenRules::mention(Words open, std::size_t parameter) const {
  return have_common(open, mentioned_by_[parameter]);
}

bool OpenRules::is_needed(const Part& part, Words open) const {
  return have_common(open, part.needed_by);
}

bool OpenRules::is_news(std::size_t rule, std::size_t depth) const {
  if (depth == 0) return true;
  return (mentioned_by_[order_[depth - 1]][rule / 64] >> (rule % 64) & 1) != 0;
}

std::vector<std::size_t> greedy_order(const std::vector<std::size_t>& value_counts,
                                      const std::vector<std::vector<std::size_t>>& rules) {
  std::vector<bool> bound(value_counts.size(), false);
  std::vector<std::size_t> order;
  while (order.size() < value_counts.size()) {
    std::size_t best = value_counts.size();
    double least = 0;
    for (std::size_t i = 0; i < value_counts.size(); ++i) {
      if (bound[i]) continue;
      bound[i] = true;
      const double then = width(value_counts, rules, bound);
      bound[i] = false;
      if (best < value_counts.size() && then >= least) continue;
      best = i;
      least = then;
    }
    bound[best] = true;
    order.push_back(best);
  }
  return order;
}

}  // namespace tilewright
