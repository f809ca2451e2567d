#include "tuner/worker/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <future>
#include <mutex>
#include <system_error>
#include <utility>

#include "definition/text/errors.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/worker/channel.hpp"

namespace tilewright {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif

struct Pipe {
  Descriptor read, write;
};

// Above the descriptors that a child gets, so that it can duplicate its ends to them in any order.
Descriptor above_given(int fd) {
  if (fd > kEvaluatorOutput) return Descriptor(fd);
  Descriptor low(fd);
  return Descriptor(fcntl(low.get(), F_DUPFD_CLOEXEC, kEvaluatorOutput + 1));
}

Pipe make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw broken_machine("cannot make a pipe: {}", std::generic_category().message(errno));
  return {above_given(ends[0]), above_given(ends[1])};
}

// Everything that the child needs, made before the fork. After the fork only async-signal-safe
// calls are allowed, because other threads may have held locks.
struct Launch {
  const char* program = nullptr;
  std::vector<char*> arguments;
  rlim_t memory_limit = RLIM_INFINITY;
  int input = -1;
  int output = -1;
  int log = -1;      // of an evaluator, as the next one
  int nothing = -1;  // has no bytes
  int error_report = -1;
  pid_t parent = -1;
};

void limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both = {value, value};
  setrlimit(resource, &both);
}

bool connect_standard(const Launch& launch) {
  return dup2(launch.input, STDIN_FILENO) >= 0 && dup2(launch.output, STDOUT_FILENO) >= 0;
}

bool connect_evaluator(const Launch& launch) {
  return dup2(launch.nothing, STDIN_FILENO) >= 0 && dup2(launch.log, STDOUT_FILENO) >= 0 &&
         dup2(launch.log, STDERR_FILENO) >= 0 && dup2(launch.input, kEvaluatorInput) >= 0 &&
         dup2(launch.output, kEvaluatorOutput) >= 0;
}

[[noreturn]] void become(const Launch& launch) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const bool is_evaluator = launch.log >= 0;
  if (!is_evaluator) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(1);  // the parent ended before prctl
  limit(RLIMIT_CORE, 0);
  if (launch.memory_limit != RLIM_INFINITY) limit(RLIMIT_AS, launch.memory_limit);
  // Includes descriptors opened without O_CLOEXEC. Kernels before 5.11 leave those open.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (is_evaluator ? connect_evaluator(launch) : connect_standard(launch))
    execv(launch.program, launch.arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto written = write(launch.error_report, &error, sizeof error);
  _exit(127);
}

// The child's ends.
struct Ends {
  Descriptor input, output, log, nothing;
};

// Returns when the child runs its program.
pid_t fork_and_exec(const ProcessOptions& options, const Ends& ends) {
  std::vector<std::string> words = options.arguments;
  words.insert(words.begin(), options.program.string());
  Launch launch;
  launch.program = options.program.c_str();
  for (std::string& word : words) launch.arguments.push_back(word.data());
  launch.arguments.push_back(nullptr);
  if (kCanLimitMemory && options.memory_limit_bytes > 0)
    launch.memory_limit = static_cast<rlim_t>(options.memory_limit_bytes);
  launch.input = ends.input.get();
  launch.output = ends.output.get();
  launch.log = ends.log.get();
  launch.nothing = ends.nothing.get();
  launch.parent = getpid();
  Pipe report = make_pipe();
  launch.error_report = report.write.get();

  const pid_t pid = fork();
  if (pid == 0) become(launch);
  int error = errno;
  report.write.close();
  if (pid > 0) {
    ssize_t count = 0;
    do count = read(report.read.get(), &error, sizeof error);
    while (count < 0 && errno == EINTR);
    if (count == 0) return pid;  // closed by exec
    waitpid(pid, nullptr, 0);
  }
  throw broken_machine("cannot run {}: {}", options.program.string(), why_not_started(error));
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

}  // namespace

bool is_file_at(int folder, const std::filesystem::path& name, const Descriptor& opened) {
  struct stat here {};
  struct stat there {};
  return fstat(opened.get(), &here) == 0 &&
         fstatat(folder, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

std::string to_text(const ExitStatus& status) {
  if (status.signal == 0) return fmt::format("exit status {}", status.code);
  const char* const name = sigdescr_np(status.signal);
  return fmt::format("signal {} ({})", status.signal, name == nullptr ? "unknown" : name);
}

bool was_killed_from_outside(const ExitStatus& status) {
  if (status.cause == ExitStatus::Cause::stopped) return false;
  return status.signal == SIGKILL || status.signal == SIGTERM || status.signal == SIGHUP ||
         status.signal == SIGINT;
}

Process::Process(const ProcessOptions& options) : wiring_(options.wiring) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Ends ends{std::move(input.read), std::move(output.write), {}, {}};
  if (wiring_ == Wiring::evaluator) {
    Pipe log = make_pipe();
    ends.log = std::move(log.write);
    log_ = std::move(log.read);
    ends.nothing = std::move(make_pipe().read);
  }
  std::promise<pid_t> started;
  std::future<pid_t> pid = started.get_future();
  // The references stay valid, because the thread uses them only while this constructor waits.
  keeper_ = start_thread(
      [&options, &ends, promise = std::move(started)](const std::stop_token& stop) mutable {
        try {
          promise.set_value(fork_and_exec(options, ends));
        } catch (...) {
          promise.set_exception(std::current_exception());
        }
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        never.wait(lock, stop, [] { return false; });
      });
  pid_ = pid.get();
  to_child_ = std::move(input.write);
  from_child_ = std::move(output.read);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      wiring_(other.wiring_),
      to_child_(std::move(other.to_child_)),
      from_child_(std::move(other.from_child_)),
      log_(std::move(other.log_)),
      keeper_(std::move(other.keeper_)) {}

ExitStatus Process::stop(std::chrono::milliseconds grace) noexcept {
  to_child_.close();
  if (pid_ < 0) return {};
  Deadline deadline(grace);
  while (grace.count() > 0 && !has_ended(pid_) && !deadline.look())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto cause = has_ended(pid_) ? ExitStatus::Cause::itself : ExitStatus::Cause::stopped;
  // Kills before reaping, because then the id cannot belong to another group yet.
  ::kill(wiring_ == Wiring::standard ? -pid_ : pid_, SIGKILL);
  int state = 0;
  while (waitpid(pid_, &state, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  from_child_.close();
  log_.close();
  if (WIFSIGNALED(state)) return {0, WTERMSIG(state), cause};
  return {WEXITSTATUS(state), 0, cause};
}

std::filesystem::path program_folder(const std::filesystem::path& link) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink(link, error);
  if (error)
    throw broken_machine(
        "the folder of this program is not known: {} cannot be read: {}; is /proc mounted?",
        link.string(), error.message());
  return program.parent_path();
}

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0;
  if (is_known) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace tilewright
