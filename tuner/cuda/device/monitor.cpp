#include "tuner/cuda/device/monitor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "definition/text/errors.hpp"

namespace tilewright::cuda {
namespace {

constexpr int kNvmlSuccess = 0;
constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
constexpr int kNoFunction = -1;  // none of NVML's results
constexpr const char* kTooOld = "NVML is too old";

// libnvidia-ml.so.1, loaded and initialised; the destructor releases it. Its functions are looked
// up by name, because not every toolkit has nvml.h.
class Nvml {
 public:
  // Throws MachineError if NVML is missing or cannot start.
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), dlclose) {
    if (!library_) throw MachineError("there is no NVML (libnvidia-ml.so.1)");
    const int result = call("nvmlInit_v2");
    if (result == kNoFunction) throw MachineError(kTooOld);
    if (result != kNvmlSuccess) throw broken_machine("NVML cannot start: {}", error_text(result));
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() { call("nvmlShutdown"); }

  // Calls a function whose parameters have exactly these types. kNoFunction if this driver's NVML
  // has none of that name.
  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    const auto function = find<int (*)(Arguments...)>(name);
    return function == nullptr ? kNoFunction : function(arguments...);
  }
  // "Not Supported"
  std::string error_text(int result) const {
    if (result == kNoFunction) return kTooOld;
    const auto text = find<const char* (*)(int result)>("nvmlErrorString");
    return text == nullptr ? fmt::format("error {}", result) : text(result);
  }

 private:
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_.get(), name));
  }

  std::unique_ptr<void, int (*)(void*)> library_;
};

// The part of NVML's C interface that is used here.
struct NvmlDevice;
using Handle = NvmlDevice*;
struct ProcessInfo {  // nvmlProcessInfo_t since its second version
  unsigned int pid;
  unsigned long long used_bytes;
  unsigned int gpu_instance;
  unsigned int compute_instance;
};
struct UtilizationSample {  // nvmlProcessUtilizationSample_t
  unsigned int pid;
  unsigned long long time_us;
  unsigned int sm_percent;
  unsigned int memory_percent;
  unsigned int encoder_percent;
  unsigned int decoder_percent;
};

constexpr unsigned int kWhole = 100;  // percent; more is not a value
constexpr int kClockSm = 1;
constexpr int kClockMemory = 2;
constexpr int kSensorGpu = 0;

std::string name_of(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(stream, name);
  return name;
}

pid_t parent_of(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("PPid:")) return static_cast<pid_t>(std::stol(line.substr(5)));
  return 0;
}

class NvmlMonitor final : public MachineMonitor {
 public:
  explicit NvmlMonitor(const std::string& uuid) {
    const int result = nvml_.call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device_);
    if (result == kNoFunction) throw MachineError(kTooOld);
    if (result != kNvmlSuccess)
      throw MachineError("NVML does not know " + uuid + ": " + nvml_.error_text(result));
    // A partition has the clocks and the power of its whole GPU.
    if (nvml_.call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", device_, &gpu_) != kNvmlSuccess)
      gpu_ = device_;
  }

  MachineState read() override {
    MachineState state;
    state.sm_mhz = number_of(state, "sm_mhz", "nvmlDeviceGetClockInfo", kClockSm);
    state.memory_mhz = number_of(state, "memory_mhz", "nvmlDeviceGetClockInfo", kClockMemory);
    state.temperature_c = number_of(state, "temperature_c", "nvmlDeviceGetTemperature", kSensorGpu);
    state.power_w = watts_of(state, "power_w", "nvmlDeviceGetPowerUsage");
    state.power_limit_w = read_power_limit(state);
    read_throttle(state);
    read_processes(state);
    read_computing(state);
    return state;
  }

  std::optional<double> power_limit_w() const {
    MachineState state;
    return read_power_limit(state);
  }

 private:
  // Notes why there is no value.
  bool is_there(MachineState& state, const char* what, int result) const {
    if (result != kNvmlSuccess) state.unseen[what] = nvml_.error_text(result);
    return result == kNvmlSuccess;
  }

  std::optional<double> number_of(MachineState& state, const char* what, const char* function,
                                  int which) const {
    unsigned int value = 0;
    if (!is_there(state, what, nvml_.call(function, gpu_, which, &value))) return std::nullopt;
    return value;
  }

  std::optional<double> watts_of(MachineState& state, const char* what,
                                 const char* function) const {
    unsigned int milliwatts = 0;
    if (!is_there(state, what, nvml_.call(function, gpu_, &milliwatts))) return std::nullopt;
    return milliwatts / 1000.0;
  }

  std::optional<double> read_power_limit(MachineState& state) const {
    return watts_of(state, "power_limit_w", "nvmlDeviceGetEnforcedPowerLimit");
  }

  void read_throttle(MachineState& state) const {
    unsigned long long reasons = 0;
    int result = nvml_.call("nvmlDeviceGetCurrentClocksEventReasons", gpu_, &reasons);
    if (result == kNoFunction)
      result = nvml_.call("nvmlDeviceGetCurrentClocksThrottleReasons", gpu_, &reasons);
    if (is_there(state, "throttle", result)) state.throttle = throttle_words(reasons);
  }

  void read_processes(MachineState& state) const {
    std::vector<ProcessInfo> infos(64);
    unsigned int count = 0;
    const auto get = [&] {
      count = static_cast<unsigned int>(infos.size());
      const int result =
          nvml_.call("nvmlDeviceGetComputeRunningProcesses_v3", device_, &count, infos.data());
      return result != kNoFunction ? result
                                   : nvml_.call("nvmlDeviceGetComputeRunningProcesses_v2", device_,
                                                &count, infos.data());
    };
    int result = get();
    if (result == kInsufficientSize) {
      infos.resize(2 * std::size_t{count});  // more processes may start meanwhile
      result = get();
    }
    if (!is_there(state, "processes", result)) return;
    std::vector<pid_t> listed;
    for (std::size_t i = 0; i < count && i < infos.size(); ++i)
      listed.push_back(static_cast<pid_t>(infos[i].pid));
    state.processes = foreign_in(listed);
    if (!state.processes) state.unseen["processes"] = "processes are not visible here";
  }

  // Only samples since the last reading count.
  void read_computing(MachineState& state) {
    const auto get = [&](UtilizationSample* samples, unsigned int& count) {
      return nvml_.call("nvmlDeviceGetProcessUtilization", device_, samples, &count, last_sample_);
    };
    unsigned int count = 0;
    get(nullptr, count);
    std::vector<UtilizationSample> samples(2 * std::size_t{count} + 16);
    count = static_cast<unsigned int>(samples.size());
    const int result = get(samples.data(), count);
    if (result == kNotFound) count = 0;
    if (result != kNotFound && !is_there(state, "computing", result)) return;
    samples.resize(std::min<std::size_t>(count, samples.size()));
    const bool is_first = last_sample_ == 0;
    std::set<pid_t> busy;
    for (const UtilizationSample& sample : samples) {
      last_sample_ = std::max(last_sample_, sample.time_us);
      if (sample.sm_percent > 0 && sample.sm_percent <= kWhole)
        busy.insert(static_cast<pid_t>(sample.pid));
    }
    if (is_first) busy.clear();  // they are from before
    state.computing =
        foreign_in({busy.begin(), busy.end()}).value_or(std::vector<ForeignProcess>());
  }

  // Nothing if the list cannot be right.
  static std::optional<std::vector<ForeignProcess>> foreign_in(const std::vector<pid_t>& listed) {
    const pid_t own = getpid();
    const auto foreign =
        foreign_among(listed, [own](pid_t process) { return descends_from(process, own); });
    if (!foreign) return std::nullopt;
    std::vector<ForeignProcess> processes;
    for (const pid_t process : *foreign)
      processes.push_back({process, process == 0 ? "" : name_of(process)});
    return processes;
  }

  Nvml nvml_;
  Handle device_ = nullptr;
  Handle gpu_ = nullptr;
  unsigned long long last_sample_ = 0;
};

std::string driver_version(const Nvml& nvml) {
  std::array<char, 96> text = {};
  const auto most = static_cast<unsigned int>(text.size() - 1);
  const bool is_known = nvml.call("nvmlSystemGetDriverVersion", text.data(), most) == kNvmlSuccess;
  return is_known ? text.data() : "";
}

constexpr double kMostOfAGpu = 100e3;  // watts; a limit that no GPU has is not known

std::optional<int> whole_power_limit_w(const std::string& uuid) {
  try {
    const double limit_w = NvmlMonitor(uuid).power_limit_w().value_or(0);
    if (limit_w >= 1 && limit_w <= kMostOfAGpu) return static_cast<int>(std::lround(limit_w));
  } catch (const MachineError&) {  // NVML does not know the GPU
  }
  return std::nullopt;
}

}  // namespace

NvmlFacts nvml_facts(const std::vector<std::string>& uuids) {
  NvmlFacts facts;
  facts.power_limits.resize(uuids.size());
  try {
    const Nvml nvml;  // so that the monitors need not load it again
    facts.driver = driver_version(nvml);
    std::ranges::transform(uuids, facts.power_limits.begin(), whole_power_limit_w);
  } catch (const MachineError&) {  // there is no NVML
  }
  return facts;
}

std::unique_ptr<MachineMonitor> make_monitor(const std::string& uuid) {
  try {
    return std::make_unique<NvmlMonitor>(uuid);
  } catch (const MachineError& error) {
    return std::make_unique<BlindMonitor>(error.what());
  }
}

std::vector<std::string> throttle_words(unsigned long long reasons) {
  constexpr std::array<std::pair<unsigned long long, const char*>, 9> kWords = {
      {{0x1, kIdle},
       {0x2, kClocksSet},
       {0x4, "power cap"},
       {0x8, "hardware slowdown"},
       {0x10, "sync boost"},
       {0x20, "thermal slowdown by software"},
       {0x40, "thermal slowdown by hardware"},
       {0x80, "power brake"},
       {0x100, "display clocks"}}};
  std::vector<std::string> words;
  for (const auto& [bit, word] : kWords) {
    if ((reasons & bit) != 0) words.emplace_back(word);
    reasons &= ~bit;
  }
  if (reasons != 0) words.emplace_back("another reason");
  return words;
}

std::optional<std::vector<pid_t>> foreign_among(const std::vector<pid_t>& listed,
                                                const std::function<bool(pid_t)>& is_ours) {
  if (listed.empty()) return std::nullopt;
  std::vector<pid_t> foreign;
  std::copy_if(listed.begin(), listed.end(), std::back_inserter(foreign),
               [&](pid_t process) { return !is_ours(process); });
  if (foreign.size() == listed.size()) foreign.assign(listed.size() - 1, 0);
  return foreign;
}

bool descends_from(pid_t process, pid_t ancestor) {
  for (; process > 1; process = parent_of(process))
    if (process == ancestor) return true;
  return process == ancestor;
}

}  // namespace tilewright::cuda
