#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/backend.hpp"

namespace tilewright {

// What a worker process does. Its command line, which only this file writes and reads, says it.
struct WorkerRole {
  enum class Task { compile, device } task = Task::compile;
  DeviceKind kind = DeviceKind::cuda;
  Toolchain toolchain = {};  // for compiling; the worker makes its own scratch folder
};

// compile KIND [--nvrtc FOLDER]... [--nvcc FILE] [--host-compiler FILE] | device KIND
std::vector<std::string> arguments_of(const WorkerRole& role);

// Nothing if the words are no such command line. KIND defaults to cuda.
std::optional<WorkerRole> read_role(const std::vector<std::string>& words);

}  // namespace tilewright
