#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

// What the parts of a sweep do. The device does one of the first three at a time.
enum class Activity {
  loading,
  verifying,
  timing,
  compiling,  // one compile process
  opening,    // making a session's inputs and references
  searching,  // space, proposals, learning from outcomes, importance
  checking,   // comparing compiled code with limits and earlier code
  storing
};

std::string_view to_text(Activity activity);

using Moment = std::chrono::steady_clock::time_point;

struct Span {
  Moment begin;
  Moment end;
};

// Seconds of wall time, by activity. Activities overlap, so `busy_s` may add up to more than the
// total. `occupied_s`, `lost_s` and `unexplained_s` add up to the total.
struct SweepClock {
  double total_s = 0;
  std::map<Activity, double> busy_s;  // while it went on anywhere
  double compile_process_s = 0;       // summed over the compile processes
  double device_s = 0;                // loading, verifying or timing
  double all_compilers_s = 0;         // every compile process was busy
  double occupied_s = 0;              // the device or all compilers
  // The rest of the time. Each moment counts for the first of opening, searching, checking, storing
  // and compiling that went on, or else as unexplained.
  std::map<Activity, double> lost_s;
  double unexplained_s = 0;
};

// The spans of a sweep's activities. Not thread-safe: each thread has its own.
class Timeline {
 public:
  void add(Activity activity, Span span) { spans_.push_back({activity, span}); }
  void add(const Timeline& other);

  // The clock of the span `whole`, with this many compile processes.
  SweepClock clock(Span whole, int compile_processes) const;

 private:
  struct Item {
    Activity activity;
    Span span;
  };
  std::vector<Item> spans_;
};

// Adds its own lifetime to the timeline.
class Timed {
 public:
  Timed(Timeline& timeline, Activity activity)
      : timeline_(timeline), activity_(activity), begin_(std::chrono::steady_clock::now()) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { timeline_.add(activity_, {begin_, std::chrono::steady_clock::now()}); }

 private:
  Timeline& timeline_;
  Activity activity_;
  Moment begin_;
};

// How long a sweep has run. The time between an interrupted run and the next does not count.
class Elapsed {
 public:
  // `done`: the trials of earlier runs. If one of them does not say when it ended, nobody knows how
  // long those took.
  explicit Elapsed(const std::vector<Trial>& done) {
    for (const Trial& trial : done)
      before_s_ = before_s_ && trial.ended_s ? std::optional(std::max(*before_s_, *trial.ended_s))
                                             : std::nullopt;
  }

  Moment start() const { return start_; }

  // The clock does not reach much farther than a century.
  Moment after(double seconds) const {
    const std::chrono::duration<double> wanted(std::min(seconds, 3e9));
    return start_ + std::chrono::duration_cast<Moment::duration>(wanted);
  }

  double this_run_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // Of all runs.
  std::optional<double> total_s() const {
    return before_s_ ? std::optional(*before_s_ + this_run_s()) : std::nullopt;
  }

 private:
  Moment start_ = std::chrono::steady_clock::now();
  std::optional<double> before_s_ = 0;
};

}  // namespace tilewright
