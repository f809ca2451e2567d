#include "tuner/measure/machine_watch.hpp"

#include <algorithm>

#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kBetweenReadings{500};

void keep(std::vector<double>& values, const std::optional<double>& value) {
  if (value) values.push_back(*value);
}

std::optional<MachineRange> range_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return MachineRange{*low, median(values), *high};
}

}  // namespace

std::string to_text(const ForeignProcess& process) {
  if (process.id == 0) return "a process that is not visible here";
  const std::string text = "process " + std::to_string(process.id);
  return process.name.empty() ? text : text + " (" + process.name + ")";
}

void MachineWatch::look(std::chrono::steady_clock::time_point now) {
  if (!last_ || now - *last_ >= kBetweenReadings) look_at_once(now);
}

void MachineWatch::look_at_once(std::chrono::steady_clock::time_point now) {
  if (monitor_ == nullptr) return;
  last_ = now;
  add(monitor_->read());
}

void MachineWatch::add(const MachineState& state) {
  ++readings_;
  newest_ = state;
  keep(sm_mhz_, state.sm_mhz);
  keep(memory_mhz_, state.memory_mhz);
  keep(power_w_, state.power_w);
  keep(temperature_c_, state.temperature_c);
  if (state.throttle) {
    ++throttle_readings_;
    for (const std::string& reason : *state.throttle) ++throttle_[reason];
  }
  if (state.processes) {
    saw_processes_ = true;
    processes_.insert(state.processes->begin(), state.processes->end());
  }
  unseen_.insert(state.unseen.begin(), state.unseen.end());
}

void MachineWatch::note_in(Timing& timing) const {
  timing.power_w = newest_.power_w;
  timing.temperature_c = newest_.temperature_c;
  if (!newest_.throttle) return;
  std::string& reasons = timing.throttle_reasons.emplace();
  for (const std::string& reason : *newest_.throttle)
    reasons += (reasons.empty() ? "" : ",") + reason;
}

std::vector<ForeignProcess> MachineWatch::others() const {
  return newest_.computing.value_or(std::vector<ForeignProcess>());
}

bool MachineWatch::is_held_down() const {
  return newest_.throttle && std::ranges::any_of(*newest_.throttle, [](const std::string& reason) {
           return reason != kIdle && reason != kClocksSet;
         });
}

MachineSummary MachineWatch::summary() const {
  MachineSummary summary;
  summary.readings = readings_;
  summary.sm_mhz = range_of(sm_mhz_);
  summary.memory_mhz = range_of(memory_mhz_);
  summary.power_w = range_of(power_w_);
  summary.temperature_c = range_of(temperature_c_);
  summary.power_limit_w = newest_.power_limit_w;
  for (const auto& [reason, count] : throttle_)
    summary.throttle[reason] = static_cast<double>(count) / static_cast<double>(throttle_readings_);
  summary.processes.assign(processes_.begin(), processes_.end());
  summary.unseen = unseen_;
  if (summary.sm_mhz) summary.unseen.erase("sm_mhz");
  if (summary.memory_mhz) summary.unseen.erase("memory_mhz");
  if (summary.power_w) summary.unseen.erase("power_w");
  if (summary.temperature_c) summary.unseen.erase("temperature_c");
  if (throttle_readings_ > 0) summary.unseen.erase("throttle");
  if (saw_processes_) summary.unseen.erase("processes");
  return summary;
}

}  // namespace tilewright
