#include "tools/print/terminal.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <streambuf>
#include <utility>

#include "definition/text/escape.hpp"

namespace tilewright::tools {
namespace {

// How many bytes at the end begin a UTF-8 character that the text does not end.
std::size_t open_end(std::string_view text) {
  constexpr std::size_t longest = 3;
  for (std::size_t size = 1; size <= std::min(longest, text.size()); ++size) {
    const auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if ((byte & 0xC0U) == 0x80) continue;  // not the first byte of its character
    const std::size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return whole > size ? size : 0;
  }
  return 0;
}

// Of std::cout and std::cerr; -1 of others.
int file_of(const std::ostream& out) {
  if (&out == &std::cout) return STDOUT_FILENO;
  return &out == &std::cerr ? STDERR_FILENO : -1;
}

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

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Characters locale_characters() {
  std::setlocale(LC_CTYPE, "");
  const bool is_utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  std::setlocale(LC_CTYPE, "C");
  return is_utf8 ? Characters::utf8 : Characters::ascii;
}

std::size_t columns_of(const std::ostream& out) {
  constexpr std::size_t usual = 80;  // of a terminal that does not know its size
  winsize size = {};
  if (isatty(file_of(out)) != 1) return 0;
  return ioctl(file_of(out), TIOCGWINSZ, &size) != 0 || size.ws_col < 2 ? usual : size.ws_col;
}

bool obeys_escapes(const std::ostream& out) {
  return isatty(file_of(out)) == 1 && environment("TERM") != "dumb";
}

std::string clear_line(std::size_t shown, std::size_t columns) {
  const std::size_t above = columns == 0 || shown == 0 ? 0 : (shown - 1) / columns;
  return above == 0 ? "\r\033[K" : "\r\033[" + std::to_string(above) + "A\033[J";
}

void print_painted(std::ostream& out, Paint paint, std::string_view text) {
  const bool is_painted = paint != Paint::none && !text.empty() && obeys_escapes(out) &&
                          environment("NO_COLOR").empty();
  if (is_painted) write_as_is(out, paint == Paint::good ? "\033[1;32m" : "\033[1;31m");
  out << text;
  if (is_painted) write_as_is(out, "\033[0m");
}

class VisibleStream::Buffer final : public std::streambuf {
 public:
  Buffer(std::streambuf* below, Characters characters) : below_(below), characters_(characters) {}

  std::streambuf* below() const { return below_; }

  bool put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return below_->sputn(text.data(), size) == size;
  }

  int sync() override {
    const bool done = put(shown(std::exchange(open_, {})));
    return below_->pubsync() == 0 && done ? 0 : -1;
  }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    open_.append(text, static_cast<std::size_t>(size));
    std::string rest = open_.substr(open_.size() - open_end(open_));
    open_.resize(open_.size() - rest.size());
    const bool done = put(shown(open_));
    open_ = std::move(rest);
    return done ? size : 0;
  }

  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? traits_type::not_eof(c) : traits_type::eof();
  }

 private:
  std::string shown(const std::string& text) const {
    return characters_ == Characters::utf8 ? visible(text) : in_ascii(visible(text));
  }

  std::streambuf* below_;
  Characters characters_;
  std::string open_;  // the beginning of a character
};

VisibleStream::VisibleStream(std::ostream& stream, Characters characters)
    : stream_(stream), buffer_(std::make_unique<Buffer>(stream.rdbuf(), characters)) {
  stream_.rdbuf(buffer_.get());
}

VisibleStream::~VisibleStream() {
  buffer_->sync();
  stream_.rdbuf(buffer_->below());
}

void write_as_is(std::ostream& stream, std::string_view text) {
  auto* const visible_one = dynamic_cast<VisibleStream::Buffer*>(stream.rdbuf());
  if (visible_one == nullptr) {
    stream << text;
  } else if (stream &&
             (visible_one->sync() != 0 || !visible_one->put(text) || visible_one->sync() != 0)) {
    stream.setstate(std::ios_base::badbit);
  }
}

void print_content(std::string_view content) {
  if (isatty(STDOUT_FILENO) == 1) {
    std::cout << content;
  } else {
    write_as_is(std::cout, content);
  }
}

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
