#include "tuner/worker/channel.hpp"
#include "definition/json/codec.hpp"

#include <poll.h>
#include <unistd.h>
#include <climits>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

namespace tilewright {
namespace {

constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kMaximumBytes = std::size_t{1} << 30;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;

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

}  // namespace

ReadStatus read_message(int fd, nlohmann::json& message, Deadline& deadline) {
  std::vector<std::uint8_t> bytes;
  ReadStatus status = read_exactly(fd, kHeaderBytes, bytes, deadline);
  if (status != ReadStatus::message) return status;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i) size |= std::size_t{bytes[i]} << (8 * i);
  if (size > kMaximumBytes) return ReadStatus::malformed;
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
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    bytes[i] = static_cast<std::uint8_t>(size >> (8 * i));

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

}  // namespace tilewright
