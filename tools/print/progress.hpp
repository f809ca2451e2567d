// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace tilewright::tools {

// Where progress is shown.
enum class Display { terminal, plain };

// What standard error is.
Display stderr_display();

// How far a sweep or a plan has come: on a terminal one line that is rewritten, elsewhere a
// plain line every few seconds.
class ProgressLine {
 public:
  ProgressLine(std::ostream& out, Display display)
      : out_(out), is_terminal_(display == Display::terminal) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // leaves a free line for the message that ended it

  void start(std::size_t total, std::size_t done);
  // One more is done; `note` follows the counts.
  void step(const std::string& note);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now, const std::string& note);

  std::ostream& out_;
  bool is_terminal_;
  bool line_is_open_ = false;
  std::size_t total_ = 0;
  std::size_t before_ = 0;  // done when it started
  std::size_t done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
};

}  // namespace tilewright::tools
