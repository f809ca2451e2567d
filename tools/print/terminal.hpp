#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tools {

// A variable of the environment; empty if it is not set.
std::string environment(const char* name);

// The characters that a terminal or a file takes.
enum class Characters { ascii, utf8 };

// Those of the user's locale (LC_ALL, LC_CTYPE, LANG).
Characters locale_characters();

// The width of the terminal to which a stream goes; 0 if it goes elsewhere. Knows std::cout and
// std::cerr.
std::size_t columns_of(const std::ostream& out);

// Whether the stream goes to a terminal that is more than a typewriter (TERM=dumb).
bool obeys_escapes(const std::ostream& out);

// What takes a line of so many characters away, on which the cursor stands. A terminal that has
// become narrower than the line has broken it into several.
std::string clear_line(std::size_t shown, std::size_t columns);

enum class Paint { none, good, bad };

// In colour if the stream goes to a terminal that shows it, and the user did not set NO_COLOR.
void print_painted(std::ostream& out, Paint paint, std::string_view text);

// While one lives, what is written to a stream is text for people: characters that a terminal would
// obey, or that a file may hide something with, become visible (definition/text/escape.hpp),
// whoever wrote them. Newlines and tabs stay. Where only ASCII is taken, other characters are
// replaced (in_ascii()).
class VisibleStream {
 public:
  explicit VisibleStream(std::ostream& stream, Characters characters = Characters::utf8);
  VisibleStream(const VisibleStream&) = delete;
  VisibleStream& operator=(const VisibleStream&) = delete;
  ~VisibleStream();

 private:
  class Buffer;
  std::ostream& stream_;
  std::unique_ptr<Buffer> buffer_;
  friend void write_as_is(std::ostream& stream, std::string_view text);
};

// Bytes for the terminal itself, and content that must arrive unchanged. Sets the stream's badbit
// if they cannot be written.
void write_as_is(std::ostream& stream, std::string_view text);

// The content of a file, on standard output: byte by byte, unless that is a terminal.
void print_content(std::string_view content);

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
