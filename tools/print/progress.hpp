#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tilewright::tools {

// Shows the progress of a sweep or a plan on standard error: on a terminal one line that is
// rewritten, elsewhere a plain line every few seconds.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // ends an open line, so that an error message starts a new one

  void start(std::size_t total, std::size_t done);
  // One more is done. `note` is printed after the counts.
  void step(const std::string& note);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now, const std::string& note);

  bool is_terminal_;
  bool line_is_open_ = false;
  std::size_t total_ = 0;
  std::size_t before_ = 0;  // done when it started
  std::size_t done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
};

}  // namespace tilewright::tools
