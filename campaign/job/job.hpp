#pragma once

#include <filesystem>
#include <map>
#include <string>

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
  std::filesystem::path place(const char* part, const std::string& unit,
                              const std::string& member) const;
  // Whether the file is at `to` afterwards.
  bool move(const std::filesystem::path& from, const std::filesystem::path& to);

  FolderFiles& files_;
  std::filesystem::path folder_;
  JobPlan plan_;
  std::map<std::string, const JobUnit*> units_;
};

}  // namespace tilewright
