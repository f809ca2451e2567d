#include "tuner/host/session/device.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace tilewright::host {
namespace {

constexpr std::int64_t kSharedBytes = 232448;  // as on an H100

std::string normalised(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

// The name that the Linux kernel gives. On ARM it gives none; then the instruction set is named.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.starts_with("model name"))
      return normalised(line.substr(colon + 1));
  }
  utsname names{};
  return uname(&names) == 0 ? std::string(names.machine) + " CPU" : "CPU";
}

}  // namespace

DeviceReport device_report() {
  DeviceReport report;
  report.id = "host";
  Device& device = report.device;
  device.kind = DeviceKind::host;
  device.name = cpu_name();
  device.sm_count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  device.shared_bytes_per_block = kSharedBytes;
  device.shared_bytes_per_sm = kSharedBytes;
  device.max_threads_per_sm = device.max_threads_per_block;
  device.max_blocks_per_sm = 1;
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  report.memory_bytes = pages * static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  return report;
}

BackendFacts backend_facts() {
  BackendFacts facts;
  facts.architecture = kHostArchitecture;
  return facts;
}

}  // namespace tilewright::host
