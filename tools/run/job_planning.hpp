#pragma once

#include <vector>

#include "campaign/target.hpp"
#include "db/records/sweep_records.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// What identifies the implementations of a job.
std::vector<ImplementationKey> definitions_of(const Target& target);

// Makes the folder of a job (`plan --job`): one unit for each problem of --shapes. Returns an
// ExitStatus.
int plan_job(const Arguments& arguments);

}  // namespace tilewright::tools
