// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/formulas.hpp"

namespace tilewright {

// A set of rules as bits in words that somebody else keeps.
class RuleBits {
 public:
  RuleBits(std::int64_t* words, std::size_t count) : words_(words), count_(count) {}

  bool has(std::size_t rule) const { return (words_[rule / 64] >> (rule % 64) & 1) != 0; }
  void remove(std::size_t rule) {
    words_[rule / 64] &= ~static_cast<std::int64_t>(std::uint64_t{1} << (rule % 64));
  }
  // This one and all behind it.
  void remove_from(std::size_t rule) {
    words_[rule / 64] &= static_cast<std::int64_t>((std::uint64_t{1} << (rule % 64)) - 1);
    for (std::size_t word = rule / 64 + 1; word < count_; ++word) words_[word] = 0;
  }

 private:
  std::int64_t* words_;
  std::size_t count_;
};

// Which rules wait for which parameters when those are bound in a given order. A depth is a
// number of bound parameters.
class OpenRules {
 public:
  using Words = std::span<const std::int64_t>;

  // A largest part of some rules that mentions bound parameters only, at one depth.
  struct Part {
    FormulaId formula = 0;
    std::vector<std::int64_t> needed_by;  // rules, as bits
  };

  OpenRules(const Formulas& formulas, const std::vector<FormulaId>& rules,
            const std::vector<std::size_t>& order);

  std::size_t words() const { return words_; }  // of a set
  std::vector<std::int64_t> all() const;        // every rule
  bool any(Words open) const;                   // is there one
  bool mention(Words open, std::size_t parameter) const;
  bool is_needed(const Part& part, Words open) const;

  // Rules whose last parameter is the one bound at this depth, ascending; at 0 those that mention
  // none.
  const std::vector<std::size_t>& closing(std::size_t depth) const { return closing_[depth]; }
  // Whether the parameter bound at this depth says something new about the rule.
  bool is_news(std::size_t rule, std::size_t depth) const;
  // Of the rules that are open behind this depth.
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

// An order to bind parameters in that keeps the parameters of a rule together. Next is always the
// parameter after which open rules depend on the fewest combinations of values; the first of
// several wins. Takes the number of values of each parameter, and the parameters of each rule.
std::vector<std::size_t> greedy_order(const std::vector<std::size_t>& value_counts,
                                      const std::vector<std::vector<std::size_t>>& rules);

}  // namespace tilewright
