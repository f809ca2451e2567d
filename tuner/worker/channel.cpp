#include "tuner/worker/channel.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "definition/json/codec.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kMaximumBytes = std::size_t{1} << 30;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

using Header = std::array<std::uint8_t, kHeaderBytes>;

// The length and its complement.
Header header_of(std::size_t size) {
  Header header;
  const std::uint64_t both = size | ~static_cast<std::uint64_t>(size) << 32;
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    header.at(i) = static_cast<std::uint8_t>(both >> (8 * i));
  return header;
}

// False when the time is up.
bool wait_for(int fd, short events, Deadline& deadline) {
  pollfd entry = {fd, events, 0};
  for (;;) {
    const bool is_over = deadline.look();
    const int count = poll(&entry, 1, is_over ? 0 : deadline.until_look());
    if (count > 0) return true;
    if (count == 0 && is_over) return false;
    if (count < 0 && errno != EINTR) return true;  // read or write will report the error
  }
}

ReadStatus read_exactly(int fd, std::size_t count, std::vector<std::uint8_t>& bytes,
                        Deadline& deadline) {
  bytes.clear();
  while (bytes.size() < count) {
    if (!wait_for(fd, POLLIN, deadline)) return ReadStatus::timed_out;
    const std::size_t held = bytes.size();
    const std::size_t wanted = std::min(count - held, kReadBytes);
    bytes.resize(held + wanted);
    const ssize_t got = read(fd, bytes.data() + held, wanted);
    bytes.resize(held + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return ReadStatus::end_of_file;
  }
  return ReadStatus::message;
}

// While it lives, a write to a closed pipe only fails. SIGPIPE is blocked in this thread, and
// removed if the write raised it.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;
  ~NoSigpipe() {
    const timespec now = {0, 0};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

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

ReadStatus read_message(int fd, nlohmann::json& message, Deadline& deadline) {
  std::vector<std::uint8_t> bytes;
  ReadStatus status = read_exactly(fd, kHeaderBytes, bytes, deadline);
  if (status != ReadStatus::message) return status;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kHeaderBytes / 2; ++i) size |= std::size_t{bytes[i]} << (8 * i);
  if (size > kMaximumBytes || !std::ranges::equal(bytes, header_of(size)))
    return ReadStatus::malformed;
  status = read_exactly(fd, size, bytes, deadline);
  if (status != ReadStatus::message) return status;
  auto parsed = parse_cbor(bytes);
  if (!parsed) return ReadStatus::malformed;
  message = *std::move(parsed);
  return ReadStatus::message;
}

bool write_message(int fd, const nlohmann::json& message, Deadline& deadline) {
  std::vector<std::uint8_t> bytes = cbor_bytes(message);
  bytes.insert(bytes.begin(), kHeaderBytes, 0);
  const std::size_t size = bytes.size() - kHeaderBytes;
  if (size > kMaximumBytes) return false;
  std::ranges::copy(header_of(size), bytes.begin());
  return write_bytes(fd, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, deadline);
}

bool write_bytes(int fd, std::span<const char> bytes, Deadline& deadline) {
  const NoSigpipe guard;
  for (std::size_t done = 0; done < bytes.size();) {
    if (!wait_for(fd, POLLOUT, deadline)) return false;
    // A pipe that is ready accepts this much without blocking.
    const std::size_t count = std::min<std::size_t>(bytes.size() - done, PIPE_BUF);
    const ssize_t written = write(fd, bytes.data() + done, count);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

ReadStatus read_message(int fd, nlohmann::json& message, std::chrono::milliseconds limit) {
  Deadline deadline(limit);
  return read_message(fd, message, deadline);
}

bool write_message(int fd, const nlohmann::json& message, std::chrono::milliseconds limit) {
  Deadline deadline(limit);
  return write_message(fd, message, deadline);
}

Milliseconds processor_time(pid_t process) {
  return Milliseconds(ticks_with_children(process) * 1000 / sysconf(_SC_CLK_TCK));
}

Deadline::Deadline(Milliseconds limit, Clocks clocks)
    : limit_(limit), clocks_(std::move(clocks)), last_look_(clocks_.now()) {
  if (clocks_.worked) worked_before_ = clocks_.worked();
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
