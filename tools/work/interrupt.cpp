#include "tools/work/interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "tools/input/command.hpp"

namespace tilewright::tools {
namespace {

// Globals, because a signal handler can reach nothing else.
std::atomic<bool> has_signal{false};
std::atomic<bool> has_trials{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) {
  if (has_signal.exchange(true)) _exit(kInterrupted);
  if (!has_trials) return;
  constexpr char message[] = "\nstopping after the running trial; interrupt again to end at once\n";
  // Nothing can be done about a failed write here.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof message - 1);
}

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& stop_requested() {
  return has_signal;
}

InterruptGuard::InterruptGuard() {
  has_signal = false;
  has_trials = false;
  handle(on_signal);
}

InterruptGuard::~InterruptGuard() {
  handle(SIG_DFL);
}

void InterruptGuard::trials_begin() {
  has_trials = true;
}

}  // namespace tilewright::tools
