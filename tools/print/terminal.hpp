#pragma once

#include <memory>
#include <ostream>
#include <string_view>

namespace tilewright::tools {

// While one lives, what is written to a stream is text for people: characters that a terminal would
// obey, or that a file may hide something with, become visible (definition/text/escape.hpp),
// whoever wrote them. Newlines and tabs stay.
class VisibleStream {
 public:
  explicit VisibleStream(std::ostream& stream);
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
