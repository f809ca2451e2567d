#include "tools/print/progress.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "definition/text/escape.hpp"
#include "tools/print/terminal.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval{100};
constexpr std::chrono::milliseconds kPipeInterval{5000};

// Prints parts until a line is full, because a line that wraps cannot be rewritten.
class OneLine {
 public:
  explicit OneLine(std::size_t columns) : columns_(columns), left_(columns) {}

  std::size_t shown() const { return columns_ - left_; }

  void add(const std::string& text, Paint paint = Paint::none) {
    const std::string shown = clipped(text, left_);
    print_painted(std::cerr, paint, shown);
    left_ -= width_of(shown);
  }

 private:
  std::size_t columns_;
  std::size_t left_;
};

}  // namespace

std::string bar_text(std::size_t done, std::size_t total, std::size_t width) {
  const std::size_t full = total == 0 ? width : std::min(width, width * done / total);
  return '[' + std::string(full, '#') + std::string(width - full, '.') + ']';
}

std::string counts_text(const ProgressCounts& counts, double seconds) {
  const auto& [total, before, done, limit_s] = counts;
  const double rate = seconds > 0 ? static_cast<double>(done - before) / seconds : 0;
  std::string text = fmt::format("{}/{}", done, total);
  if (rate <= 0) return text;
  double left = static_cast<double>(total > done ? total - done : 0) / rate;
  if (limit_s > 0) left = std::min(left, std::max(0.0, limit_s - seconds));
  return text + fmt::format("  {:.1f}/s  {} left", rate, duration_text(left));
}

std::string with_device(const std::string& device, const std::string& text) {
  return device.empty() ? text : fmt::format("[{}] {}", device, text);
}

ProgressLine::ProgressLine(std::string device)
    : device_(std::move(device)),
      columns_(device_.empty() && obeys_escapes(std::cerr) ? columns_of(std::cerr) : 0) {}

ProgressLine::~ProgressLine() {
  if (open_ > 0) std::cerr << '\n';
}

void ProgressLine::start(std::size_t total, std::size_t done, double limit_s) {
  counts_ = {.total = total, .before = done, .done = done, .limit_s = limit_s};
  start_ = Clock::now();
  shown_ = start_;
  if (columns_ > 0) return;
  print_line(fmt::format("{} to try", total) +
             (done > 0 ? fmt::format(", {} of them done before", done) : ""));
}

void ProgressLine::print_line(const std::string& text) const {
  std::cerr << with_device(device_, text) << std::endl;
}

void ProgressLine::step_to(std::size_t done, const ProgressNote& note) {
  counts_.done = done;
  const auto now = Clock::now();
  if (now - shown_ < (columns_ > 0 ? kTerminalInterval : kPipeInterval)) return;
  show(now, note);
}

void ProgressLine::show(Clock::time_point now, const ProgressNote& note) {
  shown_ = now;
  const std::string failed = note.failed > 0 ? fmt::format("  {} failed", note.failed) : "";
  const std::string text = note.text.empty() ? "" : "  " + visible_line(note.text);
  const std::string counts =
      counts_text(counts_, std::chrono::duration<double>(now - start_).count());
  if (columns_ == 0) {
    print_line(counts + failed + text);
    return;
  }
  constexpr std::size_t widest_bar = 20;
  columns_ = columns_of(std::cerr);  // it may have been resized
  clear();
  OneLine line(columns_ - 1);
  line.add(bar_text(counts_.done, counts_.total, std::min(widest_bar, columns_ / 8)), Paint::good);
  line.add(' ' + counts);
  line.add(failed, Paint::bad);
  line.add(text);
  std::cerr << std::flush;
  open_ = line.shown();
}

void ProgressLine::clear() {
  write_as_is(std::cerr, clear_line(open_, columns_of(std::cerr)));
  open_ = 0;
}

void ProgressLine::finish() {
  if (columns_ > 0) {
    if (open_ > 0) clear();
    return;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  print_line(fmt::format("{}/{} done in {}", counts_.done, counts_.total, duration_text(seconds)));
}

}  // namespace tilewright::tools
