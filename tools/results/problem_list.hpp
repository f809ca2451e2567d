#pragma once

#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/operation.hpp"
#include "tilewright/device.hpp"
#include "tools/input/options.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

// The options that name many problems.
struct ProblemsGiven {
  std::string shapes;      // --shapes
  std::string like;        // --like
  bool is_wanted = false;  // --wanted

  void declare(Options& all);
  // Throws InputError if several are given.
  bool any() const;
};

// A problem as words.
struct Shape {
  std::vector<std::string> assignments;
  std::string where;  // "FILE:LINE", or the option
};

// What --shapes names: a file, in its order, or such a line itself. A line is DIM=VALUE… separated
// by blanks; `#` begins a comment. Several values, DIM=VALUE,VALUE…, are as many problems, and
// those of several words are combined, the last word first. Throws InputError if the file cannot be
// read, and unless there are 1 to kMostProblems problems.
std::vector<Shape> read_shapes(const std::string& given);

// The problems of the operation that --like names. Each is complete, and none is there twice.
// Throws InputError if there are none, and if it names neither a file with results nor a device
// with stored or shipped ones.
std::vector<Shape> shapes_like(const std::string& given, const Operation& operation,
                               const Places& places);

// The first kMostProblems problems of the operation on this device that Store::wanted() lists,
// those of the greatest value first.
std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation,
                                 const Device& device);

}  // namespace tilewright::tools
