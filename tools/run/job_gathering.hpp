#pragma once

#include <filesystem>
#include <iosfwd>

#include "definition/library/library.hpp"

namespace tilewright::tools {

// Whether this is the folder of a job.
bool is_job(const std::filesystem::path& folder);

// Adds the finished units of a job to the database as sweeps of our own, in the plan's order, and
// prints what is new and which units are missing. Returns whether none is. Throws InputError for a
// result that is not of this job.
bool gather_job(const std::filesystem::path& folder, const std::filesystem::path& database,
                const Library& library, std::ostream& out);

}  // namespace tilewright::tools
