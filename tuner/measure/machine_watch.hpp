#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "tilewright/trial.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright {

// "process 12 (train)"
std::string to_text(const ForeignProcess& process);

struct MachineRange {
  double minimum = 0;
  double median = 0;
  double maximum = 0;

  bool operator==(const MachineRange&) const = default;
};

// What a device did during a sweep. `unseen` says, by member, why no reading had it.
struct MachineSummary {
  std::size_t readings = 0;
  std::optional<MachineRange> sm_mhz;
  std::optional<MachineRange> memory_mhz;
  std::optional<MachineRange> power_w;
  std::optional<MachineRange> temperature_c;
  std::optional<double> power_limit_w;     // by the newest reading
  std::map<std::string, double> throttle;  // reason → share of the readings with reasons
  std::vector<ForeignProcess> processes;   // seen at any time
  std::map<std::string, std::string> unseen;
};

// Reads a monitor from time to time and sums up. It uses no clock.
class MachineWatch {
 public:
  // Null: it never reads.
  explicit MachineWatch(MachineMonitor* monitor) : monitor_(monitor) {}

  // Reads if the last reading is at least half a second old.
  void look(std::chrono::steady_clock::time_point now);
  void look_at_once(std::chrono::steady_clock::time_point now);
  void add(const MachineState& state);
  MachineSummary summary() const;
  // The newest reading's power, temperature and reasons why the clock is held down.
  void note_in(Timing& timing) const;
  // The processes of others that computed on the device by the newest reading.
  std::vector<ForeignProcess> others() const;
  // Whether something holds the clock down, by the newest reading: power, temperature, a slowdown.
  bool is_held_down() const;
  // Whether the newest reading says what holds the clock down, or that nothing does.
  bool knows_reasons() const { return newest_.throttle.has_value(); }

 private:
  MachineMonitor* monitor_;
  std::optional<std::chrono::steady_clock::time_point> last_;
  MachineState newest_;
  std::size_t readings_ = 0;
  std::vector<double> sm_mhz_, memory_mhz_, power_w_, temperature_c_;
  std::size_t throttle_readings_ = 0;
  std::map<std::string, std::size_t> throttle_;
  bool saw_processes_ = false;
  std::set<ForeignProcess> processes_;
  std::map<std::string, std::string> unseen_;
};

}  // namespace tilewright
