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
#include <string>
#include <vector>

#include "tilewright/error.hpp"
#include "tuner/worker/serve.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/backend/cuda/nvrtc.hpp"
#include "tuner/backend/cuda/session.hpp"
#endif

namespace tilewright {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotWork = 3;

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

#ifdef TILEWRIGHT_HAS_CUDA
void compile(const std::vector<std::filesystem::path>& nvrtc_folders, const Channel& channel) {
  cuda::Nvrtc compiler(nvrtc_folders);
  serve_compiler(compiler, channel.input, channel.output);
}

void drive_device(const Channel& channel) {
  const std::unique_ptr<Evaluator> session = cuda::make_session();
  serve_evaluator(*session, channel.input, channel.output);
}
#else
void compile(const std::vector<std::filesystem::path>&, const Channel&) {
  throw MachineError("this tilewright-worker was built without CUDA and cannot compile");
}

void drive_device(const Channel&) {
  throw MachineError("this tilewright-worker was built without CUDA and drives no device");
}
#endif

int usage() {
  std::fputs(
      "usage: tilewright-worker compile [--nvrtc FOLDER]...\n"
      "       tilewright-worker device\n"
      "Started by tilewright; speaks a binary protocol on standard input and output.\n",
      stderr);
  return kUsage;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) return usage();
  const bool compiles = words[0] == "compile";
  if (!compiles && !(words[0] == "device" && words.size() == 1)) return usage();
  std::vector<std::filesystem::path> nvrtc_folders;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (words[i] != "--nvrtc" || i + 1 == words.size()) return usage();
    nvrtc_folders.emplace_back(words[i + 1]);
  }
  const Channel channel;
  try {
    if (compiles)
      compile(nvrtc_folders, channel);
    else
      drive_device(channel);
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
