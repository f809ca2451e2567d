#include "tools/print/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string_view>

#include "definition/text/escape.hpp"
#include "tools/print/report.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::milliseconds kPipeInterval{5000};
constexpr std::string_view kClearLine = "\r\033[K";

std::size_t terminal_columns() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 80;
  return size.ws_col;
}

// At most `columns` characters, because a line that wraps cannot be rewritten.
std::string clipped(const std::string& text, std::size_t columns) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_character && ++characters > columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (line_is_open_) std::cerr << '\n';
}

void ProgressLine::start(std::size_t total, std::size_t done) {
  total_ = total;
  before_ = done_ = done;
  start_ = Clock::now();
  shown_ = start_;
  if (is_terminal_) return;
  std::cerr << fmt::format("{} to try", total_);
  if (done > 0) std::cerr << fmt::format(", {} of them done before", done);
  std::cerr << std::endl;
}

void ProgressLine::step(const std::string& note) {
  ++done_;
  const auto now = Clock::now();
  if (now - shown_ < (is_terminal_ ? kTerminalInterval : kPipeInterval)) return;
  show(now, note);
}

void ProgressLine::show(Clock::time_point now, const std::string& note) {
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_ - before_) / seconds : 0;
  std::string text = fmt::format("{}/{}", done_, total_);
  if (rate > 0) {
    const double left = static_cast<double>(total_ > done_ ? total_ - done_ : 0) / rate;
    text += fmt::format("  {:.1f}/s  {} left", rate, duration_text(left));
  }
  if (!note.empty()) text += "  " + visible_line(note);
  if (is_terminal_) {
    write_as_is(std::cerr, kClearLine);
    std::cerr << clipped(text, terminal_columns() - 1) << std::flush;
    line_is_open_ = true;
  } else {
    std::cerr << text << std::endl;
  }
}

void ProgressLine::finish() {
  if (is_terminal_) {
    if (line_is_open_) write_as_is(std::cerr, kClearLine);
    line_is_open_ = false;
    return;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::cerr << fmt::format("{}/{} done in {}", done_, total_, duration_text(seconds)) << std::endl;
}

}  // namespace tilewright::tools
