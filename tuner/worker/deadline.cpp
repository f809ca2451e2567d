#include "tuner/worker/deadline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Milliseconds = Deadline::Milliseconds;

constexpr Milliseconds kBetweenLooks{250};
constexpr Milliseconds kStop{1000};

// Of the process and of the children that it has waited for, in clock ticks.
std::int64_t own_ticks(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  // The program's name, in parentheses, may contain anything.
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  constexpr int kBeforeTimes = 11;  // the state and ten numbers
  std::string skipped;
  for (int i = 0; i < kBeforeTimes; ++i) fields >> skipped;
  std::int64_t sum = 0, ticks = 0;
  for (int i = 0; i < 4 && fields >> ticks; ++i) sum += ticks;
  return sum;
}

std::int64_t ticks_with_children(pid_t process) {
  const fs::path folder = fs::path("/proc") / std::to_string(process);
  std::int64_t sum = own_ticks(folder);
  std::error_code error;
  for (fs::directory_iterator thread(folder / "task", error), end; !error && thread != end;
       thread.increment(error)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) sum += ticks_with_children(child);
  }
  return sum;
}

double seconds(Milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Milliseconds processor_time(pid_t process) {
  return Milliseconds(ticks_with_children(process) * 1000 / sysconf(_SC_CLK_TCK));
}

Deadline::Deadline(Milliseconds limit, Clocks clocks)
    : limit_(limit), clocks_(std::move(clocks)), last_look_(clocks_.now()) {
  if (clocks_.worked) worked_before_ = clocks_.worked();
}

Deadline Deadline::of_process(Milliseconds limit, pid_t process) {
  return {limit, {.worked = [process] { return processor_time(process); }}};
}

bool Deadline::look() {
  const auto now = clocks_.now();
  const auto passed = now - last_look_;
  last_look_ = now;
  saw_stop_ = saw_stop_ || passed > kBetweenLooks + kStop;
  spent_ += std::min<Clock::duration>(passed, 2 * kBetweenLooks);
  if (limit_.count() <= 0 || spent_ < limit_) return false;
  return !clocks_.worked || spent_ >= kTimesLimit * limit_ ||
         clocks_.worked() - worked_before_ >= limit_;
}

int Deadline::until_look() const {
  if (limit_.count() <= 0) return -1;
  const Milliseconds left = std::chrono::ceil<Milliseconds>(limit_ - spent_);
  return static_cast<int>(
      (left.count() > 0 ? std::min(left, kBetweenLooks) : kBetweenLooks).count());
}

std::string Deadline::text() const {
  if (!clocks_.worked) return fmt::format("{:.6g} s", seconds(limit_));
  if (spent_ < kTimesLimit * limit_)
    return fmt::format("{:.6g} s of processor time", seconds(limit_));
  return fmt::format("{:.6g} s, {} times the limit of processor time",
                     seconds(kTimesLimit * limit_), kTimesLimit);
}

}  // namespace tilewright
