#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/search/grid.hpp"

namespace tilewright {

// A space with the outcome of every configuration.
struct Record {
  std::string name;  // of the file it came from
  std::string kernel;
  std::string device;
  std::vector<Trial> trials;  // each configuration once; duplicates have no time
  bool is_complete = true;    // false: the file ended early
};

// Throws InputError if no trial has a time.
double best_time_us(const Record& record);

SearchGrid grid_of(const Record& record);

// Reads a Kernel Tuner cache or T4 results, gzip or plain. `name` is the file's name, for messages.
// If a file ends early, it gives the whole configurations up to there. Throws InputError for any
// other file, and for one that ends before its first time.
Record read_record(std::string_view bytes, const std::string& name);

}  // namespace tilewright
