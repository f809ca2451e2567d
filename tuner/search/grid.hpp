#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/settings.hpp"

namespace tilewright {

// A parameter, or the implementation. Candidates differ in its value.
struct SearchAxis {
  std::string name;
  std::vector<std::string> labels;  // by level
  std::vector<double> values;       // by level, ascending; empty: labels without an order
};

// The candidates as points with a level on every axis. Axes on which all are equal are left out.
struct SearchGrid {
  static constexpr std::uint16_t kAbsent = 0xFFFF;  // its implementation has no such parameter

  std::vector<SearchAxis> axes;
  std::vector<std::uint16_t> levels;  // candidate by candidate
  bool has_implementations = false;   // the last axis says whose a candidate is

  std::size_t size() const { return axes.empty() ? 0 : levels.size() / axes.size(); }
  std::span<const std::uint16_t> of(std::size_t candidate) const {
    return {levels.data() + candidate * axes.size(), axes.size()};
  }
};

// Nothing unless all of the text is one number.
std::optional<double> number_in(const std::string& text);

// What a candidate is made of.
struct GridPoint {
  std::string_view implementation;
  const Settings* settings = nullptr;
};

// Numbers are ordered; other values are labels. Throws InputError if a parameter has more than
// 65534 values.
SearchGrid make_grid(const std::vector<GridPoint>& points);

// Finds candidates by their levels. The grid must outlive it.
class Neighbours {
 public:
  explicit Neighbours(const SearchGrid& grid);

  // The candidate with these levels, or the grid's size if there is none.
  std::size_t find(std::span<const std::uint16_t> levels) const;
  // All candidates that differ on exactly one axis, by axis, then by level.
  std::vector<std::size_t> around(std::size_t candidate) const;

 private:
  const SearchGrid& grid_;
  std::vector<std::pair<std::uint64_t, std::size_t>> by_hash_;  // sorted
};

}  // namespace tilewright
