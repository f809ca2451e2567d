#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

namespace tilewright::test {

// A forked process that runs `body`. It reports lines to the parent through a pipe, and is
// killed when the parent goes away. No database may be open in the parent when it starts.
class Child {
 public:
  using Report = std::function<void(const std::string&)>;

  explicit Child(const std::function<void(const Report&)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    id_ = ::fork();
    if (id_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      run(body, ends[1]);
    }
    ::close(ends[1]);
    from_child_ = ends[0];
  }
  ~Child() {
    kill();
    ::close(from_child_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next line, without its end; empty when the child has ended.
  std::string line() {
    std::string text;
    char c = 0;
    while (::read(from_child_, &c, 1) == 1 && c != '\n') text += c;
    return text;
  }

  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
  }

 private:
  [[noreturn]] static void run(const std::function<void(const Report&)>& body, int to_parent) {
    const Report report = [to_parent](const std::string& text) {
      const std::string line = text + '\n';
      if (::write(to_parent, line.data(), line.size()) < 0) ::_exit(1);
    };
    try {
      body(report);
    } catch (const std::exception& error) {
      report(std::string("threw: ") + error.what());
    }
    ::_exit(0);
  }

  pid_t id_ = -1;
  int from_child_ = -1;
};

}  // namespace tilewright::test
