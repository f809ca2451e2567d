#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tilewright::tools {

// What a progress line says besides counts and rates.
struct ProgressNote {
  std::string text;
  std::size_t failed = 0;
};

// How far work is.
struct ProgressCounts {
  std::size_t total = 0;
  std::size_t before = 0;  // done when it started
  std::size_t done = 0;
  double limit_s = 0;  // it ends after this time at the latest; 0: whenever all is done
};

// Shows the progress of a sweep or a plan on standard error: on a terminal one line that is
// rewritten and never longer than the terminal, elsewhere, and with TERM=dumb, a plain line every
// few seconds.
class ProgressLine {
 public:
  // With a device's name it prints plain lines that begin with it, because several devices cannot
  // share one line.
  explicit ProgressLine(std::string device = "");
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // ends an open line, so that an error message starts a new one

  // It ends after `limit_s` at the latest; 0: whenever all is done.
  void start(std::size_t total, std::size_t done, double limit_s = 0);
  void step(const ProgressNote& note) { step_to(counts_.done + 1, note); }
  void step_to(std::size_t done, const ProgressNote& note);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now, const ProgressNote& note);
  void clear();
  void print_line(const std::string& text) const;

  std::string device_;
  std::size_t columns_;   // of the terminal; 0: it prints plain lines
  std::size_t open_ = 0;  // the length of the line that stands there; 0: none does
  ProgressCounts counts_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
};

// "[cuda:1] 12 to try"; without a device the text alone.
std::string with_device(const std::string& device, const std::string& text);

// "7/500  1.4/s  2.0 s left", `seconds` after the start.
std::string counts_text(const ProgressCounts& counts, double seconds);

// "[#####.....]": how much is done, in `width` characters and two brackets.
std::string bar_text(std::size_t done, std::size_t total, std::size_t width);

}  // namespace tilewright::tools
