// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "db/store/store.hpp"

namespace tilewright::test {

// A device that no machine has.
Device sample_device(const std::string& name = "NVIDIA Test 9000");

// gemm M = N = K = 512 as the program would write it.
Problem sample_problem();

// A finished sweep of gemm/naive with three trials (128 × 4 the fastest at 100 µs, the default
// at 200 µs) under a warm policy in the database at `file`. Returns its uuid.
std::string add_sample_sweep(const std::filesystem::path& file,
                             const Device& device = sample_device());

// The same sweep not finished, with one trial.
void add_unfinished_sweep(const std::filesystem::path& file);

}  // namespace tilewright::test
