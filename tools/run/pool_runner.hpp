#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tools/run/sweep_runner.hpp"

namespace tilewright::tools {

// What one device, or one group of them, measured.
struct PoolAnswer {
  std::size_t problem = 0;
  PreparedSweep prepared;  // without spaces, if there are several problems
  StoredSweep sweep;
};

// Nothing: the problem is left out.
using PreparePoolSweep =
    std::function<std::optional<PreparedSweep>(std::size_t problem, const DeviceReport& device)>;

// Sweeps problems on several devices at the same time, in one process with one store and one set of
// compile processes. A device takes the next problem when it is free. A single problem is divided:
// each configuration is screened on one of the devices, and the final runs on one. If a device is
// lost, or another process measures on it until the end, the others do its work.
//
// Measures each problem on each kind of device, and begins them in the order of `problems`: their
// numbers, which `prepare` is given. Those that a signal or `prepare` left out have no answer.
// Answers are in the order of the numbers. Calls `prepare` on one thread at a time. Throws
// InputError if the devices are not of one kind, unless --each-kind was given, what the first
// device that failed threw, after the others have kept their trials, and DeviceLost if all devices
// of a kind are lost.
std::vector<PoolAnswer> sweep_in_pool(const SweepGiven& given,
                                      const std::vector<DeviceReport>& devices,
                                      const std::vector<std::size_t>& problems,
                                      const PreparePoolSweep& prepare);

}  // namespace tilewright::tools
