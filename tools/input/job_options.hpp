#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "campaign/job/job_plan.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

inline const OptionSpec kJobFolderOption = {
    "job", "FOLDER",
    "Take part in the job that `plan --job` made there: sweep its problems one after another, as "
    "long as any is left. Each of several devices takes the next one when it is free. Any number "
    "of processes on any machines may do so (docs/fleet.md)."};
inline const OptionSpec kLocalOption = {"local", "FOLDER",
                                        "With --job: where this process keeps its trials until a "
                                        "problem is finished, on a disk of this "
                                        "machine; by default a folder below TMPDIR, else /tmp."};

inline const OptionSpec kLeaseOption = {
    "lease", "TIME",
    "With --job: a process that shows no sign of life for so long counts as dead, and others take "
    "over its problem. Such as 90s or 1.5m, rounded up to seconds; 2m by default."};

// The search options that the command line gives, for a plan.
std::vector<JobOption> planned_options(const Arguments& arguments);

// The arguments with the plan's options, and with the local database in place of --db. Throws
// InputError for an option that the plan decides, or that does not go with --job.
Arguments job_arguments(const Arguments& arguments, const JobPlan& plan);

// --local, or its default.
std::filesystem::path local_folder(const Arguments& arguments, const JobPlan& plan);

// How long a job of Slurm still has: until a minute before its end. Nothing if this is no such job.
std::optional<std::chrono::seconds> time_left_in_slurm();

}  // namespace tilewright::tools
