#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "db/store/store.hpp"

namespace tilewright::test {

// A device that does not exist.
Device sample_device(const std::string& name = "NVIDIA Test 9000");

// gemm M = N = K = 512 as the program would write it.
Problem sample_problem();

// Adds a finished sweep of gemm/naive to the database at `file`: three trials under the default
// policy, of which 128 × 4 is the fastest with 100 µs; the default takes 200 µs. Returns its uuid.
std::string add_sample_sweep(const std::filesystem::path& file,
                             const Device& device = sample_device());

// Adds two sweeps of the same problem: one under a power limit of 700 W, and a newer one under
// 400 W. These win:
inline const Configuration kSampleUnder700 = {{{"BLOCK_X", 128}, {"BLOCK_Y", 4}}};
inline const Configuration kSampleUnder400 = {{{"BLOCK_X", 32}, {"BLOCK_Y", 8}}};
void add_limited_sweeps(const std::filesystem::path& file);

// Changes the database as a stranger may.
void execute(const std::filesystem::path& file, const std::string& sql);

// Gives the trials that a condition of SQL selects these samples, one for each round, and derives
// the answers again.
void set_times(const std::filesystem::path& file, const std::string& condition,
               const std::vector<double>& samples_us);

// Adds the same sweep, unfinished, with one trial of three, the default. Returns its uuid.
std::string add_unfinished_sweep(const std::filesystem::path& file);

}  // namespace tilewright::test
