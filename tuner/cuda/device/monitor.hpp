#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/device_report.hpp"

namespace tilewright::cuda {

// A monitor of the GPU with that UUID, by NVML; without NVML, one that sees nothing. Descendants of
// this process are not foreign.
std::unique_ptr<MachineMonitor> make_monitor(const std::string& uuid);

// NVML's reasons for a clock below the maximum (a bit mask), as words; none for 0.
std::vector<std::string> throttle_words(unsigned long long reasons);

// Those of the processes on the device that are not ours. At least one of ours uses the device, so
// an empty list cannot be right and gives nothing. If no process of the list is ours, their ids
// belong to another namespace: then all but one are foreign, with id 0.
std::optional<std::vector<pid_t>> foreign_among(const std::vector<pid_t>& listed,
                                                const std::function<bool(pid_t)>& is_ours);

// True also if both are the same process.
bool descends_from(pid_t process, pid_t ancestor);

// What NVML says of the driver and the GPUs, as far as it answers.
struct NvmlFacts {
  std::string driver;                            // "580.159.04"; empty: not known
  std::vector<std::optional<int>> power_limits;  // enforced, in whole watts; by GPU
};

// Of the GPUs with these UUIDs. Loads NVML and releases it again.
NvmlFacts nvml_facts(const std::vector<std::string>& uuids);

}  // namespace tilewright::cuda
