#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "campaign/job/job.hpp"

namespace tilewright {

// A process that takes part in a job, or one device of a process that has several. Not thread-safe,
// except for beat().
//
// A unit belongs to the member whose name its file in taken/ carries. A member that dies keeps its
// units until another has seen, for a whole lease by its own steady clock, that the dead one's beat
// does not change. So clocks of different machines are never compared. A member that was only slow
// finds out when it finishes: its result is dropped, because the unit is no longer its own.
class JobMember {
 public:
  using Clock = std::chrono::steady_clock;

  // `id` is 32 hexadecimal digits that no other living member has. A process that takes the id of
  // a dead one goes on with its units at once. `name` is for people. `job` must outlive it. Gives a
  // first beat.
  JobMember(Job& job, std::string id, std::string name,
            std::function<Clock::time_point()> now = Clock::now);

  // Shows that this process lives. To be called several times in a lease, from any thread. Throws
  // MachineError.
  void beat();

  // A unit that is now this member's: one that it already had, the first that nobody has, or one of
  // a dead member. Null if there is none.
  const JobUnit* claim();
  // After claim(): whether to call it again soon, because another has a unit and has not shown
  // since this one's last unit that it lives.
  bool may_inherit() const { return may_inherit_; }

  // What interrupted sweeps of the unit left behind.
  std::vector<std::string> kept_trials(const JobUnit& unit) const;

  // Stores the result. False if the unit has been taken away from this member: then nothing is
  // stored.
  bool finish(const JobUnit& unit, const std::string& result);
  // For others to claim. `trials` are what an interrupted sweep leaves behind; empty: nothing.
  void give_back(const JobUnit& unit, const std::string& trials = {});
  // Gives it back, and does not claim it again.
  void refuse(const JobUnit& unit);

  // It has no unit and claims none any more.
  void leave();

 private:
  struct Watched {
    std::string beat;
    Clock::time_point since;
    bool has_changed = false;  // since this member last got a unit
  };

  std::string read_beat(const std::string& member) const;
  bool is_dead(const std::string& member);
  const JobUnit* claim_free();
  const JobUnit* claim_of_dead();
  bool take(const JobUnit& unit, const std::string& from);

  Job& job_;
  std::string id_;
  std::string name_;
  std::function<Clock::time_point()> now_;
  std::atomic<std::uint64_t> beats_ = 0;
  std::string start_;                       // differs between processes with the same id
  std::map<std::string, Watched> watched_;  // by member
  std::set<std::string> refused_;           // ids of units
  bool may_inherit_ = false;
  std::minstd_rand random_;
};

}  // namespace tilewright
