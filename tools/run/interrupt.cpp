#include "tools/run/interrupt.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string_view>

#include "tools/input/command.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::tools {
namespace {

// Globals, because a signal handler can reach nothing else.
using Clock = std::chrono::steady_clock;
std::atomic<Clock::rep> first_signal{0};  // when; 0: there was none
std::atomic<bool> shall_stop{false};
std::atomic<bool> shall_end_search{false};
std::atomic<bool> has_trials{false};
Skips skips;
std::atomic<int> sweeps_with_answers{0};  // of running sweeps
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<unsigned>::is_always_lock_free &&
              std::atomic<Clock::rep>::is_always_lock_free);

constexpr std::chrono::milliseconds kStillTheFirst{200};
constexpr unsigned kFinalSeconds = 10;

void print(std::string_view message) {
  // Nothing can be done about a failed write here.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

// What was ignored when the program started stays so: shells start jobs in the background like
// that.
void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction before = {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(signal, handler);
}

void handle_stops(void (*handler)(int)) {
  handle_unless_ignored(SIGINT, handler);
  handle_unless_ignored(SIGTERM, handler);
}

void handle_skips(void (*handler)(int)) {
  handle_unless_ignored(SIGQUIT, handler);
  handle_unless_ignored(SIGUSR1, handler);
}

extern "C" void on_skip(int) {
  if (!has_trials) return;
  if (skips.running == 0) return print("\nno trial is running, so none is skipped\n");
  ++skips.asked;
  print("\nskipping the running trial\n");
}

extern "C" void on_time(int) {
  shall_stop = true;
}

extern "C" void on_signal(int signal) {
  const Clock::duration now = Clock::now().time_since_epoch();
  Clock::rep first = 0;
  if (!first_signal.compare_exchange_strong(first, now.count())) {
    if (now - Clock::duration(first) > kStillTheFirst) _exit(kInterrupted);
  } else if (signal == SIGINT && sweeps_with_answers > 0) {
    shall_end_search = true;
    handle(SIGALRM, on_time);
    alarm(kFinalSeconds);
    print("\nending the search; the final takes at most 10 s; interrupt again to end at once\n");
  } else {
    shall_stop = true;
    if (has_trials) print("\nstopping after the running trial; interrupt again to end at once\n");
  }
}

}  // namespace

const std::atomic<bool>& stop_requested() {
  return shall_stop;
}

const std::atomic<bool>& search_end_requested() {
  return shall_end_search;
}

WorkerOptions workers_with_skips(const Measuring& measuring) {
  WorkerOptions workers = worker_options(measuring);
  workers.skips = &skips;
  return workers;
}

InterruptGuard::InterruptGuard() {
  first_signal = 0;
  shall_stop = false;
  shall_end_search = false;
  has_trials = false;
  sweeps_with_answers = 0;
  handle_stops(on_signal);
  handle_skips(on_skip);
}

InterruptGuard::~InterruptGuard() {
  alarm(0);
  handle(SIGALRM, SIG_DFL);
  handle_stops(SIG_DFL);
  handle_skips(SIG_DFL);
}

void InterruptGuard::trials_begin() {
  has_trials = true;
}

void InterruptGuard::answer_begins() {
  ++sweeps_with_answers;
}

void InterruptGuard::answer_ends() {
  --sweeps_with_answers;
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
