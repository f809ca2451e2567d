#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "db/store/store.hpp"
#include "definition/definition.hpp"
#include "tools/input/target.hpp"

namespace tilewright::tools {

// Reads and checks everything that a sweep's command line decides. Writes nothing. Throws
// InputError for bad input, even if there is no device, and MachineError if there is none.
PreparedSweep prepare_sweep(const Arguments& arguments, Target target);

// The target's problem. Throws as prepare_sweep() does, but does not build the space.
Problem check_problem(const Arguments& arguments, const Target& target);

// A line of a file of problems: DIM=VALUE… separated by blanks; `#` begins a comment.
struct Shape {
  std::vector<std::string> assignments;
  std::string where;  // "FILE:LINE", or "wanted"
};

// The lines in the file's order. Throws InputError if it cannot be read or has no problem.
std::vector<Shape> read_shapes(const std::filesystem::path& file);

// The problems of the operation that Store::wanted() lists, without duplicates.
std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation);

}  // namespace tilewright::tools
