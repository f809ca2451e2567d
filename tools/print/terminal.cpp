#include "tools/print/terminal.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <iostream>
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

// Empty if it is not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of std::cout and std::cerr; -1 of others.
int file_of(const std::ostream& out) {
  if (&out == &std::cout) return STDOUT_FILENO;
  return &out == &std::cerr ? STDERR_FILENO : -1;
}

}  // namespace

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
  return isatty(file_of(out)) == 1 && variable("TERM") != "dumb";
}

std::string clear_line(std::size_t shown, std::size_t columns) {
  const std::size_t above = columns == 0 || shown == 0 ? 0 : (shown - 1) / columns;
  return above == 0 ? "\r\033[K" : "\r\033[" + std::to_string(above) + "A\033[J";
}

void print_painted(std::ostream& out, Paint paint, std::string_view text) {
  const bool is_painted =
      paint != Paint::none && !text.empty() && obeys_escapes(out) && variable("NO_COLOR").empty();
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

}  // namespace tilewright::tools
