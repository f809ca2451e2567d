#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "campaign/job/folder_files.hpp"
#include "campaign/job/job_plan.hpp"

namespace tilewright {

// The folder of a job:
//   plan.json                  the plan
//   todo/UNIT                  an empty file for each unit that nobody measures,
//   taken/UNIT.MEMBER          for each that the member measures,
//   done/UNIT.MEMBER           and for each that is finished
//   results/UNIT.MEMBER.json   a member's sweep of a unit; it counts if done/ names the member
//   kept/UNIT.MEMBER.json      the trials of an interrupted sweep
//   alive/MEMBER               who the member is, and a beat that changes
//   device/…                   what members proposed, and whose proposal was chosen
// The one file of a unit is only ever renamed, so that of several members that try, one gets it,
// and no unit is finished twice. Every other file has one writer.
class Job {
 public:
  // Reads the plan. `files` must outlive it. Throws InputError if no job is there.
  Job(FolderFiles& files, std::filesystem::path folder);

  // Makes the folder with all its files at once. Throws InputError if it exists and is not empty.
  static void create(FolderFiles& files, const std::filesystem::path& folder, const JobPlan& plan);
  static bool is_at(const FolderFiles& files, const std::filesystem::path& folder);

  const JobPlan& plan() const { return plan_; }
  const std::filesystem::path& folder() const { return folder_; }
  const JobUnit* unit(const std::string& id) const;  // null: the plan has none

  // Who has a unit in this part of the folder, "taken" or "done", by the unit's id.
  std::map<std::string, std::string> members_of(const std::string& part) const;
  // Who the member says it is: "process 12 on node3".
  std::string name_of(const std::string& member) const;
  std::filesystem::path result_of(const std::string& unit, const std::string& member) const;

  // The kind of device that the job measures on. The first text that a member proposes counts for
  // all: returns that one.
  std::string agree_on_device(const std::string& member, const std::string& proposal);

 private:
  friend class JobMember;
  std::string beat_of(const std::string& member) const;  // empty: it has left
  std::filesystem::path place(const char* part, const std::string& unit,
                              const std::string& member) const;
  // Whether the file is at `to` afterwards.
  bool move(const std::filesystem::path& from, const std::filesystem::path& to);

  FolderFiles& files_;
  std::filesystem::path folder_;
  JobPlan plan_;
  std::map<std::string, const JobUnit*> units_;
};

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

// Calls `beat` once every `period`, on a thread of its own, until that is destroyed. A beat that
// throws MachineError is one that is missed.
std::jthread start_heart(std::function<void()> beat, std::chrono::milliseconds period);

// How often a member beats whose lease has so many seconds.
std::chrono::milliseconds beat_period(std::int64_t lease_s);

}  // namespace tilewright
