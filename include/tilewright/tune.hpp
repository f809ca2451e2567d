// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/error.hpp"
#include "tilewright/operand.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// Tuning from within an application (docs/tune.md). A sweep may use the caller's own data and
// reference. Its results go into a database, where look-ups find them.

// Where an array lies. `device`: in GPU memory that this process can read, such as cudaMalloc's.
enum class TuneMemory { host, device };

// The values of one input of the operation. They are read once, before anything is measured, and
// never written. Work that writes device memory must have ended. The caller keeps ownership.
struct TuneArray {
  std::string argument;        // its name in the manifest
  const void* data = nullptr;  // elements of the argument's type, in order, without gaps
  std::size_t bytes = 0;       // exactly the size of the argument in this problem
  TuneMemory memory = TuneMemory::host;
};

// One call of the operation as a reference gets it: the inputs, and room for the outputs, all in
// host memory. Valid only while the reference runs.
class ReferenceCall {
 public:
  struct Argument {
    std::string type;                   // its name in manifests: "float32"
    std::span<const std::byte> before;  // inputs and inouts: their elements before the call
    std::span<std::byte> after;         // outputs and inouts: their elements after it
  };

  ReferenceCall(const Problem& problem, const std::map<std::string, Argument>& arguments)
      : problem_(problem), arguments_(arguments) {}

  const Problem& problem() const { return problem_; }
  const std::map<std::string, Argument>& arguments() const { return arguments_; }

  // Both throw InputError if there is no such argument, if it is not an input (an output), or if
  // its elements are not of type T.
  template <class T>
  std::span<const T> input(std::string_view name) const {
    const Argument& argument = find(name, type_of<T>(), "an input", &Argument::before);
    return {reinterpret_cast<const T*>(argument.before.data()), argument.before.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> output(std::string_view name) const {
    const Argument& argument = find(name, type_of<T>(), "an output", &Argument::after);
    return {reinterpret_cast<T*>(argument.after.data()), argument.after.size() / sizeof(T)};
  }

  // The value of a dimension. Throws InputError if the problem has no such dimension.
  std::int64_t dimension(const std::string& name) const {
    const auto value = problem_.values.find(name);
    if (value == problem_.values.end() || !std::holds_alternative<std::int64_t>(value->second))
      throw InputError("the problem has no dimension '" + name + "'");
    return std::get<std::int64_t>(value->second);
  }

 private:
  template <class T>
  static std::string_view type_of() {
    if constexpr (detail::kIsElement<T>) return facts_of(detail::element_type<T>()).name;
    return "an unsupported type";
  }

  template <class Side>
  const Argument& find(std::string_view name, std::string_view type, const char* what,
                       Side side) const {
    const auto found = arguments_.find(std::string(name));
    if (found == arguments_.end() || (found->second.*side).data() == nullptr)
      throw InputError("'" + std::string(name) + "' is not " + what + " of this call");
    if (found->second.type != type)
      throw InputError("elements of '" + found->first + "' are " + found->second.type +
                       ", but were requested as " + std::string(type));
    return found->second;
  }

  const Problem& problem_;
  const std::map<std::string, Argument>& arguments_;
};

// Computes the right answer: writes every output of the call that is compared. Called once, on the
// thread of tune(). An exception ends tune() before anything is measured or stored, and reaches the
// caller.
using TuneReference = std::function<void(const ReferenceCall&)>;

// Where the kernels under trial run. They work on copies of the arrays in both cases.
// - process: in a process of their own. A fault or a hang costs one trial, and does not touch the
//   caller's memory or CUDA context.
// - caller: in this process, on a GPU in the device's primary context, which the caller may use
//   too. A kernel that faults destroys the context (on the host device: the process). A kernel that
//   hangs makes tune() hang.
enum class Isolation { process, caller };

// Reported after each configuration that was tried, except pruned ones.
struct TuneProgress {
  std::size_t planned = 0;  // configurations to try, including those already on record
  std::size_t done = 0;     // of the planned ones
  Trial trial;              // the newest
  double best_us = 0;       // the least median so far in this run; 0: none
};

struct TuneRequest {
  std::string operation = {};  // "gemm", "gemm/tiled", or a manifest's path, which ends in .toml
  Settings problem = {};       // dimensions, choices, snippets by name; others: defaults
  std::string device = {};     // "cuda:0", "host"; empty: the first GPU, else the host
  std::filesystem::path database = {};                // required; created if missing
  std::vector<std::filesystem::path> kernels = {};    // folders of definitions
  std::vector<std::filesystem::path> manifests = {};  // single files: operations, snippets

  std::vector<TuneArray> arrays = {};  // inputs; the others are filled as the manifest says
  TuneReference reference = {};        // none: the operation's own

  std::optional<std::size_t> budget =
      {};                                 // 0: all configurations; none: all if there are at most
                                          // 500, else 500, or until the search finds nothing better
  double time_limit_s = 0;                // of the screening, which tries at least one; 0: none;
                                          // the final comes after it
  std::optional<CachePolicy> cache = {};  // none: default_cache_policy()
  std::string strategy = {};              // "exhaustive", "random", "model"; empty:
                                          // exhaustive if the budget covers all, and no time
                                          // limit or target cuts off over 500, else model
  std::string where = {};  // only configurations for which this expression holds, of the
                           // implementations that have all its names
  Libraries libraries = Libraries::on;
  std::uint64_t seed = 1;  // of every random choice, and of inputs that the manifest fills

  // use: an equal request on record gives the answer, and an interrupted one is resumed.
  enum class Recorded { use, measure_anew } recorded = Recorded::use;

  Isolation isolation = Isolation::process;
  std::function<void(const TuneProgress&)> progress = {};  // called on the thread of tune(); an
                                                           // exception ends tune() as `stop` does
  const std::atomic<bool>* stop = nullptr;  // once true, tune() ends after the running trial; must
                                            // outlive the call

  std::filesystem::path worker = {};         // tilewright-worker; empty: beside the running program
  std::filesystem::path cache_folder = {};   // of compiled code; empty: none
  int compile_processes = 0;                 // up to 1024; 0: one for each core
  std::filesystem::path host_compiler = {};  // empty: c++, g++ or clang++ in /usr/bin
  std::filesystem::path scratch = "/tmp";    // for temporary files
  std::filesystem::path lock_folder = {};    // of the devices' locks; empty: /tmp/tilewright-locks,
                                             // which the program uses too, or if that cannot be
                                             // used a folder of this user
  std::vector<std::filesystem::path> toolkit_folders = {};  // searched first for NVRTC, headers
};

// Times are microseconds of one call.
struct TuneResult {
  std::string implementation;  // the fastest, "gemm/tiled"; empty: none was right and timed
  Configuration configuration;
  double median_us = 0;        // if the policy is robust, with cold operands
  double interval_low_us = 0;  // 95 % interval of the median
  double interval_high_us = 0;
  double default_us = 0;  // of that implementation's default; 0: not measured

  Problem problem;  // completed
  Device device;
  Policy policy;
  std::string sweep;           // its uuid; empty: nothing was legal, or it was stopped at the start
  bool was_on_record = false;  // answered from the database

  // Why the search ended: "finished" (tried all that was planned), "time_limit", "plateau" and
  // "enough_time" (no budget was given, and nothing better was found for long), "interrupted" (by
  // `stop`; the same request resumes there), "ended_early" (on record, by a Ctrl-C in the program),
  // "nothing legal".
  std::string end;
  std::size_t legal = 0;                    // configurations
  std::map<Outcome, std::size_t> outcomes;  // of the screening
  std::string failure;  // if no answer was right: the most common reason, with an example

  // Other problems on which answers were checked too. Empty if the operation has neither its own
  // reference nor `checks`; then only the tuned problem was checked.
  std::vector<Problem> other_checks;

  bool found() const { return !implementation.empty(); }
};

// Tunes, and returns when the sweep is done. On one machine only one call uses a device at a time;
// calls from any process wait for it. Each trial is stored at once. Two requests are equal only if
// their arrays have equal bytes.
//
// Throws InputError for the request (an unknown name, an array of the wrong size, …) before
// anything is measured or stored. Throws MachineError if there is no such device, compiler or
// worker, if the database cannot be used, or if a kernel under Isolation::caller destroyed the
// context. Passes on what the callbacks throw.
TuneResult tune(const TuneRequest& request);

}  // namespace tilewright
