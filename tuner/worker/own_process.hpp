#pragma once

#include <sys/types.h>

#include <csignal>
#include <vector>

namespace tilewright {

// The process that serves requests. A kernel of the host device runs in it, and may change it for
// the kernels that come later.
class OwnProcess {
 public:
  OwnProcess();  // remembers how it is

  // To be called before each answer. Signals are handled as they were, and no alarm is left. A copy
  // of the process, which a kernel made, ends here: it must not answer in its parent's place.
  void restore() const;

 private:
  pid_t id_;
  std::vector<struct sigaction> actions_;  // by signal
};

// From now on, each child that fork() makes ends at once. Programs still start by posix_spawn(), as
// system() and popen() do it.
void end_forked_children();

}  // namespace tilewright
