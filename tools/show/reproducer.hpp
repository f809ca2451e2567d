#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright::tools {

// One problem that a reproducer runs.
struct ReproducedProblem {
  std::string label;
  std::vector<PlannedBuffer> buffers;
  LaunchPlan launches;
  std::optional<LaunchPlan> reference;  // launches of the reference kernel; unset: a sum is printed
  PlannedComparison comparison;
  std::map<int, LaunchPlan> fills = {};  // of kernels that fill, by position in `buffers`, in order
};

// The contents of a standalone program.
struct Reproducer {
  std::vector<std::string> notes;                    // lines for the top of the file
  CompileRequest kernel;                             // as a sweep compiles it
  std::optional<CompileRequest> reference;           // set if a problem has a reference
  std::map<std::string, CompileRequest> fills = {};  // by the argument that is filled
  std::uint64_t seed = 1;                            // of the inputs
  std::vector<ReproducedProblem> problems;           // the first is timed; at least one
  int calls = 20;                                    // that are timed if nothing is asked for
  // For the host device: host::shim_files(). Kernels, references and fills are as
  // host::adapt_for_program() gives them, and plans have no open grids. Empty: for a GPU.
  std::map<std::string, std::string> shim = {};

  bool is_for_host() const { return !shim.empty(); }
};

// A complete CUDA C++17 program in one file; for the host device, C++17. It fills inputs as a sweep
// does, launches what the plans say, with grids that depend on the device as that holds blocks,
// compares the outputs with those of the reference kernel, and times calls of the first problem.
// Its exit status is 0 if everything was right, 1 if not, and 3 if CUDA reports an error. Throws
// InputError for tensor maps and textures on the host device.
std::string reproducer_text(const Reproducer& reproducer);

// How its source writes the contents of the argument with that number before a call, and what a
// launch of the plan passes.
std::string contents(const PlannedBuffer& buffer, std::size_t index);
std::string parameter_text(const PlannedArgument& argument, const LaunchPlan& plan,
                           const ReproducedProblem& problem);

}  // namespace tilewright::tools

namespace tilewright {

// The headers that it contains, by the names that include them.
std::map<std::string, std::string> reproducer_headers();

}  // namespace tilewright
