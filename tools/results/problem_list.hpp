#pragma once

#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/operation.hpp"
#include "tilewright/device.hpp"
#include "tools/input/options.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

// A problem as words.
struct Shape {
  std::vector<std::string> assignments;
  std::string where;  // "FILE:LINE", or the option
};

// The options that name many problems.
struct ProblemsGiven {
  std::string shapes;      // --shapes
  std::string like;        // --like
  bool is_wanted = false;  // --wanted

  void declare(Options& all);
  // Throws InputError if several are given.
  bool any() const;
  // The problems that --shapes or --like names, 1 to kMostProblems. --shapes: a file, in its order,
  // or such a line itself. A line is DIM=VALUE… separated by blanks; `#` begins a comment. Several
  // values, DIM=VALUE,VALUE…, are as many problems, and those of several words are combined, the
  // last word first. --like: each is complete, and none is there twice. Throws InputError if the
  // file cannot be read, if there are none or too many, and if --like names neither a file with
  // results nor a device with stored or shipped ones.
  std::vector<Shape> named(const Operation& operation, const Places& places) const;
};

// The first kMostProblems problems of the operation on this device that Store::wanted() lists,
// those of the greatest value first.
std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation,
                                 const Device& device);

}  // namespace tilewright::tools
