#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/prepared_sweep.hpp"
#include "db/store/store.hpp"
#include "definition/definition.hpp"
#include "tools/input/target.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright::tools {

// The options that say what is searched for and how. read_search() reads them, and a job fixes
// them.
std::vector<OptionSpec> search_option_list();

// How to search and measure. Refuses what is known to be bad before the device is known. Throws
// InputError.
SearchOptions read_search(const Arguments& arguments, const Target& target);

// Reads and checks everything that a sweep's command line decides. Writes nothing. Throws
// InputError for bad input, even if there is no device, and MachineError if there is none.
PreparedSweep prepare_sweep(const Arguments& arguments, Target target);
// The same on this device, whatever the command line names.
PreparedSweep prepare_sweep(const Arguments& arguments, Target target, const DeviceReport& device);

// Checks problems of one command line. Looks for the device once.
class ProblemCheck {
 public:
  explicit ProblemCheck(const Arguments& arguments) : arguments_(arguments) {}
  // The target's problem. Throws as prepare_sweep() does, but does not build the space.
  Problem problem_of(const Target& target);
  // The first device to measure on.
  const Device& device();

 private:
  const Arguments& arguments_;
  std::optional<DeviceReport> report_;
};

// The problems that one command sweeps.
inline constexpr std::size_t kMostProblems = 10'000;

// A line of a file of problems: DIM=VALUE… separated by blanks; `#` begins a comment.
struct Shape {
  std::vector<std::string> assignments;
  std::string where;  // "FILE:LINE", or "wanted"
};

// The lines in the file's order. Throws InputError if it cannot be read, or has no problem or more
// than kMostProblems.
std::vector<Shape> read_shapes(const std::filesystem::path& file);

// How long a call or a sweep takes grows with this. A byte costs as much as 20 operations.
double work_of(const Operation& operation, const Problem& problem, const Device& device);

// What it is worth to tune this: how often it was asked for, times the work of a call.
double value_of(const Wanted& wanted, const Operation& operation);

// The first kMostProblems problems of the operation on this device that Store::wanted() lists,
// those of the greatest value first.
std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation,
                                 const Device& device);

}  // namespace tilewright::tools
