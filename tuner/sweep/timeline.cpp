#include "tuner/sweep/timeline.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tilewright {
namespace {

constexpr std::array kOnTheDevice = {Activity::loading, Activity::verifying, Activity::timing};

// The order in which they explain lost time.
constexpr std::array kExplanations = {Activity::opening, Activity::searching, Activity::checking,
                                      Activity::storing, Activity::compiling};

// How many parts do each activity at one moment.
class Census {
 public:
  void change(Activity activity, int by) { count_[activity] += by; }

  // Adds `seconds` in this state to the clock.
  void put_down(double seconds, int compile_processes, SweepClock& clock) {
    for (const auto& [activity, count] : count_)
      if (count > 0) clock.busy_s[activity] += seconds;
    clock.compile_process_s += seconds * count_[Activity::compiling];
    const bool device =
        std::ranges::any_of(kOnTheDevice, [this](Activity one) { return count_[one] > 0; });
    const bool compilers =
        compile_processes > 0 && count_[Activity::compiling] >= compile_processes;
    if (device) clock.device_s += seconds;
    if (compilers) clock.all_compilers_s += seconds;
    if (device || compilers) {
      clock.occupied_s += seconds;
    } else if (const auto why = explanation()) {
      clock.lost_s[*why] += seconds;
    } else {
      clock.unexplained_s += seconds;
    }
  }

 private:
  std::optional<Activity> explanation() {
    for (const Activity activity : kExplanations)
      if (count_[activity] > 0) return activity;
    return std::nullopt;
  }

  std::map<Activity, int> count_;
};

struct Change {
  Moment at;
  Activity activity;
  int by;
};

}  // namespace

std::string_view to_text(Activity activity) {
  constexpr std::array<std::string_view, 8> names = {
      "loading", "verifying", "timing", "compiling", "opening", "searching", "checking", "storing"};
  return names.at(static_cast<std::size_t>(activity));
}

void Timeline::add(const Timeline& other) {
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
}

SweepClock Timeline::clock(Span whole, int compile_processes) const {
  std::vector<Change> changes;
  for (const auto& [activity, span] : spans_) {
    const Moment begin = std::max(span.begin, whole.begin);
    const Moment end = std::min(span.end, whole.end);
    if (begin >= end) continue;
    changes.push_back({begin, activity, 1});
    changes.push_back({end, activity, -1});
  }
  std::ranges::sort(changes, {}, &Change::at);
  SweepClock clock;
  Census census;
  Moment now = whole.begin;
  const auto pass = [&](Moment until) {
    const double seconds = std::chrono::duration<double>(until - now).count();
    if (seconds > 0) census.put_down(seconds, compile_processes, clock);
    clock.total_s += seconds;
    now = until;
  };
  for (const Change& change : changes) {
    pass(change.at);
    census.change(change.activity, change.by);
  }
  pass(whole.end);
  return clock;
}

}  // namespace tilewright
