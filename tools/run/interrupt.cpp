#include "tools/run/interrupt.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tools/input/command.hpp"

namespace tilewright::tools {
namespace {

// Globals, because a signal handler can reach nothing else.
std::atomic<bool> has_signal{false};
std::atomic<bool> shall_stop{false};
std::atomic<bool> has_trials{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) {
  shall_stop = true;
  if (has_signal.exchange(true)) _exit(kInterrupted);
  if (!has_trials) return;
  constexpr char message[] = "\nstopping after the running trial; interrupt again to end at once\n";
  // Nothing can be done about a failed write here.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof message - 1);
}

extern "C" void on_time(int) {
  shall_stop = true;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void handle_stops(void (*handler)(int)) {
  handle(SIGINT, handler);
  handle(SIGTERM, handler);
}

}  // namespace

const std::atomic<bool>& stop_requested() {
  return shall_stop;
}

InterruptGuard::InterruptGuard() {
  has_signal = false;
  shall_stop = false;
  has_trials = false;
  handle_stops(on_signal);
}

InterruptGuard::~InterruptGuard() {
  alarm(0);
  handle(SIGALRM, SIG_DFL);
  handle_stops(SIG_DFL);
}

void InterruptGuard::trials_begin() {
  has_trials = true;
}

void InterruptGuard::stop_in(std::chrono::seconds time) {
  handle(SIGALRM, on_time);
  constexpr std::chrono::hours kLongest{24 * 365};
  if (time.count() <= 0)
    shall_stop = true;
  else
    alarm(static_cast<unsigned>(std::min<std::chrono::seconds>(time, kLongest).count()));
}

}  // namespace tilewright::tools
