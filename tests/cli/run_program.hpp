#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tilewright::test {

// A new folder below the system's temporary one. The destructor removes it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Programs with this home keep compiled code there, for tests that count or stop compilers.
void give_own_cache(const TemporaryFolder& home);

struct Finished {
  int status = -1;  // exit status, or 128 + the signal that killed it
  std::string out;
  std::string err;
};

using Condition = std::function<bool()>;

// Runs the built tilewright. Its environment contains only PATH, HOME = `home`, TMPDIR,
// LC_ALL = C.UTF-8, TILEWRIGHT_LOCKS, TILEWRIGHT_CACHE, an option of sanitizers, and `environment`
// ("NAME=value"), which may also set these. By default TMPDIR and TILEWRIGHT_LOCKS are folders of
// its own, so that no two programs wait for each other's devices, and compiled code is that of
// support/test_code.hpp. Polls `interrupt_when`, and sends the signal as
// soon as it returns true.
Finished run_tilewright(const std::filesystem::path& home,
                        const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {},
                        const Condition& interrupt_when = {}, int signal = SIGINT);
// The same, but runs `command` with the program and its arguments as further words.
Finished run_tilewright_within(const std::filesystem::path& home,
                               const std::vector<std::string>& command,
                               const std::vector<std::string>& arguments);

// Words before a command that limit its files to that many blocks of 512 bytes.
std::vector<std::string> limited_to_blocks(std::uintmax_t blocks);
// Words before a command that take away the administrator's right to read and write every file;
// empty for other users.
std::vector<std::string> without_privileges();
// Whether those words work here.
bool can_drop_privileges();

// The form that exec and posix_spawn take. The result points into `texts`.
std::vector<char*> pointers(std::vector<std::string>& texts);

std::string content_of(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

// Where a program with that home keeps its database.
std::filesystem::path database_in(const std::filesystem::path& home);

// Whether the program left that home unchanged. Ignores .nv, because the CUDA driver keeps a cache
// there when it is asked for devices, and an empty .cache (give_own_cache).
bool is_untouched(const std::filesystem::path& home);

// Why plan cannot compile here; empty if it can.
std::string why_no_compiler();
// Why a sweep cannot measure on a GPU here; empty if it can.
std::string why_no_gpu();

}  // namespace tilewright::test
