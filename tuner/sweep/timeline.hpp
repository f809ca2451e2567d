// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <map>
#include <string_view>
#include <vector>

namespace tilewright {

// What a part of a sweep can do. The device does one of the first three at a time.
enum class Activity {
  loading,
  verifying,
  timing,
  compiling,  // of one compile process
  opening,    // inputs and references of a session
  searching,  // the space, proposals, what is learned from outcomes, importance
  checking,   // compiled code against limits and what was seen
  storing
};

std::string_view to_text(Activity activity);

using Moment = std::chrono::steady_clock::time_point;

struct Span {
  Moment begin;
  Moment end;
};

// Seconds of wall time, by who was busy. Activities overlap, so `busy_s` may add up to more
// than the total; the device, all compilers without it, and what was lost add up to it.
struct SweepClock {
  double total_s = 0;
  std::map<Activity, double> busy_s;  // somebody was busy with it
  double compile_process_s = 0;       // summed over the compile processes
  double device_s = 0;                // loading, verifying or timing
  double all_compilers_s = 0;         // every compile process was busy
  double occupied_s = 0;              // the device or all compilers
  // The rest of the time, by the first of opening, searching, checking, storing and compiling (by
  // some processes) that was going on; then what none of them explains.
  std::map<Activity, double> lost_s;
  double unexplained_s = 0;
};

// The spans of a sweep's activities. Not thread-safe: each thread fills one of its own.
class Timeline {
 public:
  void add(Activity activity, Span span) { spans_.push_back({activity, span}); }
  void add(const Timeline& other);

  // What went on in `whole`, where there were so many compile processes.
  SweepClock clock(Span whole, int compile_processes) const;

 private:
  struct Item {
    Activity activity;
    Span span;
  };
  std::vector<Item> spans_;
};

// Adds the time that it lives.
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

}  // namespace tilewright
