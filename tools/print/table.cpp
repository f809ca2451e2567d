#include "tools/print/table.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "definition/text/escape.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kGap = 2;         // between two columns
constexpr std::size_t kLeastText = 16;  // a last column that is narrower is cut instead of broken

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::size_t> widths_of(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

// The columns that are shown, from left to right.
std::vector<std::size_t> shown_columns(const std::vector<std::size_t>& widths,
                                       const std::vector<std::size_t>& may_lose,
                                       std::size_t columns) {
  std::vector<std::size_t> shown;
  std::size_t needed = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    shown.push_back(i);
    needed += widths[i] + (i > 0 ? kGap : 0);
  }
  for (const std::size_t lost : may_lose) {
    if (columns == 0 || needed <= columns) break;
    if (std::erase(shown, lost) > 0) needed -= widths[lost] + kGap;
  }
  return shown;
}

std::string padded(const std::string& text, std::size_t width, bool is_right) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return is_right ? space + text : text + space;
}

}  // namespace

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string clipped(const std::string& text, std::size_t columns) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_character && ++characters > columns) return text.substr(0, i);
  }
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  if (columns == 0 || width_of(text) <= columns) return {text};
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (lines.empty() || width_of(lines.back()) + 1 + width_of(word) > columns)
      lines.push_back(word);
    else
      lines.back() += ' ' + word;
  }
  return lines;
}

void print_wrapped(std::ostream& out, const std::string& indent, const std::string& text) {
  if (text.empty()) return;
  const std::size_t columns = columns_of(out);
  const std::size_t left = columns > indent.size() ? columns - indent.size() : 0;
  for (const std::string& line : wrapped(text, left)) out << indent << line << '\n';
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = visible_line(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Table::lines(std::size_t columns) const {
  const std::vector<std::size_t> widths = widths_of(rows_);
  const std::vector<std::size_t> shown = shown_columns(widths, may_lose_, columns);
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    if (row.empty()) continue;
    std::string line;
    for (const std::size_t i : shown) {
      if (i >= row.size()) break;
      const bool is_last = i == shown.back();
      if (!line.empty()) line += std::string(kGap, ' ');
      const std::size_t start = width_of(line);
      if (!is_last || columns == 0 || start + width_of(row[i]) <= columns) {
        line += padded(row[i], widths[i], right_.contains(i));
      } else if (start + kLeastText > columns) {
        line += clipped(row[i], columns - std::min(columns, start));
      } else {
        std::string rest;
        for (const std::string& part : wrapped(row[i], columns - start))
          rest += (rest.empty() ? "" : '\n' + std::string(start, ' ')) + part;
        line += rest;
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

void Table::print(std::ostream& out, const std::string& indent) const {
  const std::size_t columns = columns_of(out);
  const std::size_t left = columns > indent.size() ? columns - indent.size() : columns;
  for (const std::string& line : lines(left)) {
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part);)
      if (!part.empty()) out << indent << part << '\n';
  }
}

}  // namespace tilewright::tools
