#include "tuner/worker/own_process.hpp"

#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

namespace tilewright {

// The calls fail for signals that nobody can handle.
OwnProcess::OwnProcess() : id_(getpid()), actions_(static_cast<std::size_t>(NSIG)) {
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]);
}

void OwnProcess::restore() const {
  if (getpid() != id_) _exit(0);
  const itimerval none = {};
  for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF})
    setitimer(timer, &none, nullptr);
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, &actions_[static_cast<std::size_t>(signal)], nullptr);
}

void end_forked_children() {
  pthread_atfork(nullptr, nullptr, [] { _exit(0); });
}

}  // namespace tilewright
