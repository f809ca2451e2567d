#pragma once

#include <cstddef>
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

// A limit for hostile files: 1 MB of gzip can hold 1 GB.
inline constexpr std::size_t kMostUnpackedBytes = std::size_t{512} << 20;

// The contents of a gzip file. If the file ends early or is damaged, the contents up to there.
// Bytes that are not gzip are returned unchanged. Throws InputError if the contents have more than
// `most` bytes.
struct Unpacked {
  std::string text;
  bool is_complete = true;
};
Unpacked gunzip(std::string_view bytes, std::size_t most = kMostUnpackedBytes);

}  // namespace tilewright
