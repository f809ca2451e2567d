#include "definition/text/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

#include "definition/text/errors.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 1 << 16;

// A file that is open for reading. Throws InputError that names it.
class InputFile {
 public:
  // Does not wait for the writer of a pipe.
  explicit InputFile(const fs::path& path)
      : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (fd_ < 0 && (errno == ENOENT || errno == ENOTDIR)) refuse("there is no such file");
    if (fd_ < 0) refuse_unreadable();
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { close(fd_); }

  // Returns the size as the file system has it; 0 for a pipe.
  std::uint64_t require(FileLimit::Pipe pipe) {
    struct stat facts {};
    if (fstat(fd_, &facts) != 0) refuse_unreadable();
    if (S_ISDIR(facts.st_mode)) refuse("is a folder; give a file");
    is_pipe_ = S_ISFIFO(facts.st_mode);
    const bool accepts_pipes = pipe == FileLimit::Pipe::accepted;
    if (!S_ISREG(facts.st_mode) && !(is_pipe_ && accepts_pipes))
      refuse(accepts_pipes ? "is neither a regular file nor a pipe" : "is not a regular file");
    return static_cast<std::uint64_t>(facts.st_size);
  }

  // Returns fewer bytes than there is room for only at the end of the file.
  std::size_t read(std::span<std::uint8_t> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::read(fd_, bytes.data() + done, bytes.size() - done);
      if (got == 0) break;
      if (got > 0)
        done += static_cast<std::size_t>(got);
      else if (errno == EAGAIN)
        wait();
      else if (errno != EINTR)
        refuse_unreadable();
    }
    return done;
  }

  bool is_pipe() const { return is_pipe_; }
  [[noreturn]] void refuse(const std::string& why) const {
    throw bad_input("{}: {}", path_.string(), why);
  }

 private:
  [[noreturn]] void refuse_unreadable() const {
    refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  void wait() const {
    pollfd entry = {fd_, POLLIN, 0};
    poll(&entry, 1, -1);
  }

  const fs::path& path_;
  int fd_;
  bool is_pipe_ = false;
};

[[noreturn]] void throw_unwritable(const fs::path& file, const std::string& reason) {
  throw broken_machine("{} cannot be written: {}", file.string(), reason);
}

// `shown` is the file's name for the user.
void write_in_place(const fs::path& file, const fs::path& shown, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw_unwritable(shown, std::strerror(errno));
}

// The end of a chain of links, even if that file does not exist yet.
fs::path link_target(fs::path file) {
  constexpr int kMostLinks = 40;  // Linux has the same limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(file, error); ++links)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

// A new file beside another, with a name that nobody can know before. The destructor removes it
// unless it was renamed.
class NewFile {
 public:
  // `shown` is the other file's name for the user.
  NewFile(const fs::path& beside, const fs::path& shown, mode_t mode) : shown_(shown) {
    std::random_device random;
    do {
      path_ = beside;
      path_ += fmt::format(".{:08x}{:08x}.tmp", random(), random());
      fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    } while (fd_ < 0 && errno == EEXIST);
    if (fd_ < 0) throw_unwritable(shown_, std::strerror(errno));
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (fd_ >= 0) close(fd_);
    if (!path_.empty()) unlink(path_.c_str());
  }

  // False if this user may not give it to that owner.
  bool takes_after(const struct stat& other) {
    struct stat own {};
    if (fstat(fd_, &own) != 0) return false;
    const bool is_same = own.st_uid == other.st_uid && own.st_gid == other.st_gid;
    if (!is_same && fchown(fd_, other.st_uid, other.st_gid) != 0) return false;
    return fchmod(fd_, other.st_mode & 07777) == 0;
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(fd_, content.data(), content.size());
      if (written >= 0)
        content.remove_prefix(static_cast<std::size_t>(written));
      else if (errno != EINTR)
        throw_unwritable(shown_, std::strerror(errno));
    }
  }

  void rename_to(const fs::path& target) {
    if (close(std::exchange(fd_, -1)) != 0) throw_unwritable(shown_, std::strerror(errno));
    if (std::rename(path_.c_str(), target.c_str()) != 0)
      throw_unwritable(shown_, std::strerror(errno));
    path_.clear();
  }

 private:
  const fs::path& shown_;
  fs::path path_;
  int fd_ = -1;
};

}  // namespace

std::string read_text_file(const fs::path& path, const FileLimit& limit) {
  InputFile file(path);
  const std::uint64_t most = limit.most_mib << 20;
  const std::uint64_t size = file.require(limit.pipe);
  std::string text;
  if (size <= most) text.reserve(size + kPiece);
  for (std::size_t got = kPiece; got == kPiece && size <= most && text.size() <= most;) {
    const std::size_t held = text.size();
    text.resize(held + kPiece);
    got = file.read({reinterpret_cast<std::uint8_t*>(text.data()) + held, kPiece});
    text.resize(held + got);
  }
  if (size > most || text.size() > most)
    file.refuse(fmt::format("is larger than {} MiB, the most for {}", limit.most_mib, limit.kind));
  if (text.empty() && file.is_pipe()) file.refuse("is an empty pipe; start its writer first");
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::size_t read_beginning(const fs::path& path, std::span<std::uint8_t> bytes) {
  InputFile file(path);
  file.require(FileLimit::Pipe::refused);
  return file.read(bytes);
}

void write_file(const fs::path& file, const std::string& content) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found) {
    write_in_place(file, file, content);
    return;
  }
  const fs::path target = link_target(file);
  struct stat old {};
  const bool is_there = stat(target.c_str(), &old) == 0;
  NewFile fresh(target, file, is_there ? 0600 : 0666);
  if (is_there && !fresh.takes_after(old)) return write_in_place(target, file, content);
  fresh.write(content);
  fresh.rename_to(target);
}

void replace_file(const fs::path& file, const std::string& content) {
  NewFile fresh(file, file, 0666);
  fresh.write(content);
  fresh.rename_to(file);
}

}  // namespace tilewright
