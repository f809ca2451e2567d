// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/search/grid.hpp"

namespace tilewright {

// A space of which every configuration's outcome is on record.
struct Record {
  std::string name;  // of the file it came from
  std::string kernel;
  std::string device;
  std::vector<Trial> trials;  // each configuration once; duplicates hold no time
  bool is_complete = true;    // false: the file ended early
};

// Throws InputError if no trial has a time.
double best_time_us(const Record& record);

SearchGrid grid_of(const Record& record);

// Reads a cache of Kernel Tuner or T4 results, gzip or plain; `name` is the file's, for
// messages. A file that ends early gives what came before. Throws InputError for anything else.
Record read_record(std::string_view bytes, const std::string& name);

}  // namespace tilewright
