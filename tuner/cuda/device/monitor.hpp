// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/device_report.hpp"

namespace tilewright::cuda {

// Of the GPU with that UUID, by NVML; one that sees nothing where there is no NVML. Processes
// that descend from this one are not foreign.
std::unique_ptr<MachineMonitor> make_monitor(const std::string& uuid);

// NVML's reasons for a clock below the highest, as words; 0: none.
std::vector<std::string> throttle_words(unsigned long long reasons);

// Which of the listed processes are not ours, one of which is on the device; nothing if the list
// cannot be right. Where none of them is ours their numbers are another namespace's, and one
// fewer than are listed are foreign.
std::optional<std::vector<pid_t>> foreign_among(const std::vector<pid_t>& listed,
                                                const std::function<bool(pid_t)>& is_ours);

// Also of a process itself.
bool descends_from(pid_t process, pid_t ancestor);

}  // namespace tilewright::cuda
