#pragma once

#include <cstddef>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

namespace tilewright::tools {

// Lines of cells, each column as wide as its widest cell. Control characters in cells become
// visible.
class Table {
 public:
  // `right`: the columns that are right-aligned, from 0. An empty heading line is not printed.
  explicit Table(std::vector<std::string> headings, std::set<std::size_t> right = {})
      : rows_{std::move(headings)}, right_(std::move(right)) {}

  // The columns that are left out where a line is too long, in this order.
  void may_lose(std::vector<std::size_t> columns) { may_lose_ = std::move(columns); }
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() <= 1; }

  // A line for each row, at most `columns` wide if that is not 0: columns are left out, then the
  // last one is broken into several lines, joined by newlines.
  std::vector<std::string> lines(std::size_t columns = 0) const;
  // On a terminal as wide as that is, else in full width.
  void print(std::ostream& out, const std::string& indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::set<std::size_t> right_;
  std::vector<std::size_t> may_lose_;
};

// Counts characters, not bytes: all bytes except UTF-8's continuation bytes.
std::size_t width_of(const std::string& text);

// The first `columns` characters.
std::string clipped(const std::string& text, std::size_t columns);

// The words of a text in lines of at most `columns` characters; a longer word has a line of its
// own. One line if `columns` is 0.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

// A line of text, in several lines with `indent` before each where the terminal is narrower. An
// empty text is no line.
void print_wrapped(std::ostream& out, const std::string& indent, const std::string& text);

}  // namespace tilewright::tools
