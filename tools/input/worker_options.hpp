// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign/workers.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// From PATH, and from what CUDA's variables name.
Toolchain toolchain();

// The limits of a GPU that need not be here, "sm_90a". Throws InputError for an architecture that
// neither NVRTC nor the table of limits knows.
Device planned_device(const std::string& architecture);

// Reads --jobs, --cache and the limits. Throws InputError, and MachineError when there is no worker
// program.
WorkerOptions worker_options(const Arguments& arguments);

// The limits of what the worker processes do.
std::vector<OptionSpec> limit_options();
// Throws InputError for what none of them accepts.
void check_limits(const Arguments& arguments);

OptionSpec no_wait_option();
// What claim_device() calls where it has to wait: a line on standard error; with --no-wait a
// MachineError of the same sentence.
std::function<void(const std::string&)> when_claimed(const Arguments& arguments);

}  // namespace tilewright::tools
