#include "tools/print/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <streambuf>
#include <string>
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

}  // namespace

class VisibleStream::Buffer final : public std::streambuf {
 public:
  explicit Buffer(std::streambuf* below) : below_(below) {}

  std::streambuf* below() const { return below_; }

  bool put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return below_->sputn(text.data(), size) == size;
  }

  int sync() override {
    const bool done = put(visible(std::exchange(open_, {})));
    return below_->pubsync() == 0 && done ? 0 : -1;
  }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    open_.append(text, static_cast<std::size_t>(size));
    std::string rest = open_.substr(open_.size() - open_end(open_));
    open_.resize(open_.size() - rest.size());
    const bool done = put(visible(open_));
    open_ = std::move(rest);
    return done ? size : 0;
  }

  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? traits_type::not_eof(c) : traits_type::eof();
  }

 private:
  std::streambuf* below_;
  std::string open_;  // the beginning of a character
};

VisibleStream::VisibleStream(std::ostream& stream)
    : stream_(stream), buffer_(std::make_unique<Buffer>(stream.rdbuf())) {
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
