// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::testing {

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

// Runs the built tilewright with an environment of nothing but PATH, HOME = `home` and
// `environment` ("NAME=value"); sends it SIGINT after `interrupt_after` where that is not zero.
Finished run_tilewright(const std::filesystem::path& home,
                        const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {},
                        std::chrono::milliseconds interrupt_after = {});

std::string content_of(const std::filesystem::path& file);
void write_text(const std::filesystem::path& file, const std::string& text);

// Where a program with that home keeps its database.
std::filesystem::path database_in(const std::filesystem::path& home);

// Whether the program left that home as it was. A CUDA driver that is asked for devices keeps a
// cache in .nv; that is not the program's.
bool is_untouched(const std::filesystem::path& home);

// Why plan cannot compile here; empty if it can.
std::string why_no_compiler();
// Why a sweep cannot measure here; empty if it can.
std::string why_no_device();

}  // namespace tilewright::testing
