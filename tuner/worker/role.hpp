// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/backend.hpp"

namespace tilewright {

// What a worker process is for. Its command line says so: written and read here alone.
struct WorkerRole {
  enum class Task { compile, device } task = Task::compile;
  DeviceKind kind = DeviceKind::cuda;
  Toolchain toolchain = {};  // to compile; the worker has a scratch folder of its own
};

// compile KIND [--nvrtc FOLDER]... [--host-compiler FILE] | device KIND
std::vector<std::string> arguments_of(const WorkerRole& role);

// Nothing where the words are no such command line. Without KIND it is cuda.
std::optional<WorkerRole> read_role(const std::vector<std::string>& words);

}  // namespace tilewright
