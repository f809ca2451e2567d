#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/formulas.hpp"

namespace tilewright {

// A set of rules as bits, in words that it does not own.
class RuleBits {
 public:
  RuleBits(std::int64_t* words, std::size_t count) : words_(words), count_(count) {}

  bool has(std::size_t rule) const { return (words_[rule / 64] >> (rule % 64) & 1) != 0; }
  void remove(std::size_t rule) {
    words_[rule / 64] &= ~static_cast<std::int64_t>(std::uint64_t{1} << (rule % 64));
  }
  // Removes this rule and all after it.
  void remove_from(std::size_t rule) {
    words_[rule / 64] &= static_cast<std::int64_t>((std::uint64_t{1} << (rule % 64)) - 1);
    for (std::size_t word = rule / 64 + 1; word < count_; ++word) words_[word] = 0;
  }

 private:
  std::int64_t* words_;
  std::size_t count_;
};

// Which rules wait for which parameters when parameters are bound in a given order. A depth is a
// number of bound parameters.
class OpenRules {
 public:
  using Words = std::span<const std::int64_t>;

  // A maximal part of some rules that mentions only parameters bound at one depth.
  struct Part {
    FormulaId formula = 0;
    std::vector<std::int64_t> needed_by;  // rules, as bits
  };

  OpenRules(const Formulas& formulas, const std::vector<FormulaId>& rules,
            const std::vector<std::size_t>& order);

  std::size_t words() const { return words_; }  // in a set
  std::vector<std::int64_t> all() const;        // every rule
  bool any(Words open) const;
  bool mention(Words open, std::size_t parameter) const;
  bool is_needed(const Part& part, Words open) const;

  // Rules whose last parameter is bound at this depth, ascending; at 0, rules without parameters.
  const std::vector<std::size_t>& closing(std::size_t depth) const { return closing_[depth]; }
  // Whether the rule mentions the parameter bound at this depth.
  bool is_news(std::size_t rule, std::size_t depth) const;
  // The parts of the rules that are still open after this depth.
  const std::vector<Part>& parts(std::size_t depth) const { return parts_[depth]; }

 private:
  void collect_parts(const Formulas& formulas, const std::vector<std::size_t>& depths,
                     FormulaId formula, std::size_t rule, std::size_t depth);

  std::size_t rule_count_ = 0;
  std::size_t words_ = 0;
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::size_t>> closing_;        // by depth
  std::vector<std::vector<std::int64_t>> mentioned_by_;  // by parameter: rules, as bits
  std::vector<std::vector<Part>> parts_;                 // by depth
};

// An order of binding that keeps the parameters of a rule together. Each step takes the parameter
// after which open rules depend on the fewest combinations of values, or the first of several. The
// arguments are the number of values of each parameter, and the parameters of each rule.
std::vector<std::size_t> greedy_order(const std::vector<std::size_t>& value_counts,
                                      const std::vector<std::vector<std::size_t>>& rules);

}  // namespace tilewright
