// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tilewright::test {

// A folder of its own below the system's temporary one, removed with the object.
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

struct Finished {
  int status = -1;  // 128 + signal where one killed it
  std::string out;
  std::string err;
};

using Condition = std::function<bool()>;

// Runs the built tilewright with an environment of nothing but PATH, HOME = `home`, TMPDIR, a
// folder of its own so that no two wait for each other's devices, and `environment` ("NAME=value";
// PATH and TMPDIR may be among them); sends it SIGINT as soon as `interrupt_when`, asked again and
// again, says so.
Finished run_tilewright(const std::filesystem::path& home,
                        const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {},
                        const Condition& interrupt_when = {});
// The same started by `command`, which gets the program and its arguments as further words.
Finished run_tilewright_within(const std::filesystem::path& home,
                               const std::vector<std::string>& command,
                               const std::vector<std::string>& arguments);

// Words before a command that keep it from writing files of more than that many blocks of 512
// bytes.
std::vector<std::string> limited_to_blocks(std::uintmax_t blocks);
// Words before a command that take the administrator's right to read and write every file away;
// empty for everyone else.
std::vector<std::string> without_privileges();
// Whether those words work here.
bool can_drop_privileges();

// As exec and posix_spawn take them; refers to the texts.
std::vector<char*> pointers(std::vector<std::string>& texts);

std::string content_of(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

// Where a program with that home keeps its database.
std::filesystem::path database_in(const std::filesystem::path& home);

// Whether the program left that home as it was. A CUDA driver that is asked for devices keeps a
// cache in .nv; that is not the program's.
bool is_untouched(const std::filesystem::path& home);

// Why plan cannot compile here; empty if it can.
std::string why_no_compiler();
// Why a sweep cannot measure on a GPU here; empty if it can.
std::string why_no_gpu();

}  // namespace tilewright::test
