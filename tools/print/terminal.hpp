#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace tilewright::tools {

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

}  // namespace tilewright::tools
