#pragma once

#include <cstddef>
#include <cstdint>
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
  std::vector<Trial> trials;               // each configuration once; duplicates have no time
  std::vector<double> expected;            // by trial: as in SearchProblem; empty: unknown
  bool is_complete = true;                 // false: the file ended early
  std::vector<std::int64_t> problem_size;  // as the other tuner counts it; empty: unknown
};

// Throws InputError if no trial has a time.
double best_time_us(const Record& record);

SearchGrid grid_of(const Record& record);

// Reads a Kernel Tuner cache, T4 results or KTT's results (one record each), or a wisdom file of
// Kernel Launcher (a record for each device and problem size), gzip or plain. NaN and Infinity, as
// Python writes them, are no times. `name` is the file's name, for messages. If a file ends early,
// it gives the whole configurations up to there. Throws InputError for any other file, and for one
// that ends before its first time.
std::vector<Record> read_records(std::string_view bytes, const std::string& name);

// What read_records() takes the text for, also if it ends early, such as "a cache of Kernel Tuner".
// Empty for any other text.
std::string foreign_format(std::string_view text);

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
