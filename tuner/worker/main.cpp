// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// tilewright-worker: the processes in which tilewright compiles and in which it drives a device.
// It talks messages (tuner/worker/channel.hpp) on its standard input and output; people have no
// use for it.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/error.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/host/session/session.hpp"
#include "tuner/worker/serve.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/compile/nvrtc.hpp"
#include "tuner/cuda/session/session.hpp"
#endif

namespace tilewright {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotWork = 3;
constexpr int kCompilersNiceness = 10;

// The messages' descriptors, moved away from 0 and 1: a library that prints, or a child that
// reads, must not get into the conversation.
struct Channel {
  int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

  Channel() {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if (nothing >= 0) close(nothing);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
};

// What the command line asks for.
struct Role {
  enum class Task { compile, device } task = Task::compile;
  enum class Backend { cuda, host } backend = Backend::cuda;
  std::filesystem::path host_compiler;
  std::vector<std::filesystem::path> nvrtc_folders;
};

std::unique_ptr<Compiler> make_compiler(const Role& role) {
  if (role.backend == Role::Backend::host)
    return std::make_unique<host::HostCompiler>(
        host::CompilerOptions{role.host_compiler, std::filesystem::temp_directory_path()});
#ifdef TILEWRIGHT_HAS_CUDA
  return std::make_unique<cuda::Nvrtc>(role.nvrtc_folders);
#else
  throw MachineError("this tilewright-worker was built without CUDA and cannot compile for it");
#endif
}

std::unique_ptr<Evaluator> make_session(const Role& role) {
  if (role.backend == Role::Backend::host) return host::make_session();
#ifdef TILEWRIGHT_HAS_CUDA
  return cuda::make_session();
#else
  throw MachineError("this tilewright-worker was built without CUDA and drives no GPU");
#endif
}

void serve(const Role& role, const Channel& channel) {
  if (role.task == Role::Task::compile) {
    // Where all cores compile, the device's process, the search and people go first.
    [[maybe_unused]] const int niceness = nice(kCompilersNiceness);
    const std::unique_ptr<Compiler> compiler = make_compiler(role);
    serve_compiler(*compiler, channel.input, channel.output);
  } else {
    const std::unique_ptr<Evaluator> session = make_session(role);
    serve_evaluator(*session, channel.input, channel.output);
  }
}

int usage() {
  std::fputs(
      "usage: tilewright-worker compile [--nvrtc FOLDER]... | compile --host COMPILER\n"
      "       tilewright-worker device [--host]\n"
      "Started by tilewright; speaks a binary protocol on standard input and output.\n",
      stderr);
  return kUsage;
}

std::optional<Role> read_role(const std::vector<std::string>& words) {
  Role role;
  if (words.empty()) return std::nullopt;
  if (words[0] == "device") {
    role.task = Role::Task::device;
    if (words.size() == 2 && words[1] == "--host")
      role.backend = Role::Backend::host;
    else if (words.size() != 1)
      return std::nullopt;
    return role;
  }
  if (words[0] != "compile" || words.size() % 2 == 0) return std::nullopt;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (words[i] == "--nvrtc") {
      role.nvrtc_folders.emplace_back(words[i + 1]);
    } else if (words[i] == "--host") {
      role.backend = Role::Backend::host;
      role.host_compiler = words[i + 1];
    } else {
      return std::nullopt;
    }
  }
  return role;
}

int run(const std::vector<std::string>& words) {
  const std::optional<Role> role = read_role(words);
  if (!role) return usage();
  const Channel channel;
  try {
    serve(*role, channel);
  } catch (const std::exception& error) {
    // To the other end, which reports it once for all its workers; to a person at a terminal.
    if (isatty(channel.output) == 0)
      send_machine_error(channel.output, error.what());
    else
      std::fprintf(stderr, "tilewright-worker: %s\n", error.what());
    return kCannotWork;
  }
  return 0;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  try {
    return tilewright::run({argv + 1, argv + argc});
  } catch (...) {
    return tilewright::kCannotWork;
  }
}
