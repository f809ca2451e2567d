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
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// Tuning from within an application: a sweep over an operation's configurations, on the caller's
// own data and against the caller's own reference where that is wanted, kept in a database where
// look-ups find it (docs/tune.md).

// Where an array lies. `device`: in memory of a GPU that this process can read (a pointer of
// cudaMalloc or of the like).
enum class TuneMemory { host, device };

// The values of one input of the operation. Read once, before anything is measured, and never
// written; for device memory the work that writes it must have ended. The caller keeps ownership.
struct TuneArray {
  std::string argument;        // its name in the manifest
  const void* data = nullptr;  // elements of the argument's type, in order, without gaps
  std::size_t bytes = 0;       // exactly those of the argument in this problem
  TuneMemory memory = TuneMemory::host;
};

// One call of the operation in host memory, as a reference gets it: what goes in, and room for what
// has to come out. Valid during the reference's call.
class ReferenceCall {
 public:
  struct Argument {
    std::string type;  // "float32", "float64", "int32", "uint32", "int64", "uint64", "uint8"
    std::span<const std::byte> before;  // inputs and inouts: their elements before the call
    std::span<std::byte> after;         // outputs and inouts: their elements after it
  };

  ReferenceCall(const Problem& problem, const std::map<std::string, Argument>& arguments)
      : problem_(problem), arguments_(arguments) {}

  const Problem& problem() const { return problem_; }
  const std::map<std::string, Argument>& arguments() const { return arguments_; }

  // Both throw InputError: no such argument, T is another type than its elements', or it is not an
  // input (an output).
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

  // A dimension of the problem. Throws InputError for a name that is none.
  std::int64_t dimension(const std::string& name) const {
    const auto value = problem_.values.find(name);
    if (value == problem_.values.end() || !std::holds_alternative<std::int64_t>(value->second))
      throw InputError("the problem has no dimension '" + name + "'");
    return std::get<std::int64_t>(value->second);
  }

 private:
  template <class T>
  static std::string_view type_of() {
    if constexpr (std::is_same_v<T, float>) return "float32";
    if constexpr (std::is_same_v<T, double>) return "float64";
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4) return "int32";
    if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) == 4) return "uint32";
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8) return "int64";
    if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) == 8) return "uint64";
    if constexpr (std::is_same_v<T, std::uint8_t>) return "uint8";
    return "a type that no argument has";
  }

  template <class Side>
  const Argument& find(std::string_view name, std::string_view type, const char* what,
                       Side side) const {
    const auto found = arguments_.find(std::string(name));
    if (found == arguments_.end() || (found->second.*side).data() == nullptr)
      throw InputError("'" + std::string(name) + "' is not " + what + " of this call");
    if (found->second.type != type)
      throw InputError("elements of '" + found->first + "' are " + found->second.type +
                       ", and were asked for as " + std::string(type));
    return found->second;
  }

  const Problem& problem_;
  const std::map<std::string, Argument>& arguments_;
};

// Says what is right: writes every output of the call. Called once, on the thread of tune(). What
// it throws ends tune() before anything is measured or stored, and reaches the caller.
using TuneReference = std::function<void(const ReferenceCall&)>;

// Where the kernels under trial run. `process`: in a process of their own, so that a fault or a
// hang costs a trial and neither the caller's memory nor its CUDA context. `caller`: in this
// process, on a GPU in the device's primary context, beside what the caller has there. Then a
// kernel that faults takes the context (on the host device: the process) with it, and one that
// hangs hangs tune(). They work on copies of the arrays either way.
enum class Isolation { process, caller };

// After each configuration that was tried; pruned ones are not told.
struct TuneProgress {
  std::size_t planned = 0;  // configurations to try, those already on record included
  std::size_t done = 0;     // of these
  Trial trial;              // the newest
  double best_us = 0;       // the least median so far in this run; 0: none
};

struct TuneRequest {
  std::string operation = {};  // "gemm", "gemm/tiled", or a manifest's path, which ends in .toml
  Settings problem = {};       // dimensions, choices, snippets by name; else defaults
  std::string device = {};     // "cuda:0", "host"; empty: the first GPU, else the host
  std::filesystem::path database = {};                // required; made where it is missing
  std::vector<std::filesystem::path> kernels = {};    // folders of definitions
  std::vector<std::filesystem::path> manifests = {};  // single files: operations, snippets

  std::vector<TuneArray> arrays = {};  // inputs; the others are filled as the manifest says
  TuneReference reference = {};        // none: the operation's own

  std::optional<std::size_t> budget = {};  // configurations to try, 0: all; none: all up to 500,
                                           // else 500 or until nothing better was found for long
  double time_limit_s = 0;                 // 0: none; the fastest are measured again after it
  std::optional<CachePolicy> cache = {};   // none: the usual one for operands of that size
  std::string strategy = {};  // "exhaustive", "random", "local", "genetic", "model"; empty:
                              // exhaustive where the budget covers all, else model
  std::string where = {};     // only configurations for which this expression holds
  std::uint64_t seed = 1;     // of every random choice, and of what the manifest fills

  // use: what is on record of this very request answers, what was interrupted is gone on with.
  enum class Recorded { use, measure_anew } recorded = Recorded::use;

  Isolation isolation = Isolation::process;
  std::function<void(const TuneProgress&)> progress = {};  // on the thread of tune(); what it
                                                           // throws ends tune(), as `stop` would
  const std::atomic<bool>* stop = nullptr;  // once true, the running trial is finished, and that is
                                            // all; outlives the call

  std::filesystem::path worker = {};  // the tilewright-worker program; empty: the one beside the
                                      // running program
  std::filesystem::path cache_folder = {};   // of compiled code; empty: none
  int compile_processes = 0;                 // up to 1024; 0: one for each core
  std::filesystem::path host_compiler = {};  // for the host device; empty: a usual one of /usr/bin
  std::vector<std::filesystem::path> toolkit_folders = {};  // where NVRTC may be, beside the usual
};

// What became of a request. Times are microseconds of one call.
struct TuneResult {
  std::string implementation;  // the fastest, "gemm/tiled"; empty: none was right and timed
  Configuration configuration;
  double median_us = 0;
  double interval_low_us = 0;  // 95 % interval of the median
  double interval_high_us = 0;
  double default_us = 0;  // of that implementation's default; 0: not measured

  Problem problem;  // completed
  Device device;
  Policy policy;
  std::string sweep;  // its uuid in the database; empty: nothing was legal, or it was stopped
                      // before it began
  bool was_on_record = false;  // answered from the database

  // Why the search ended: "finished" (all that was planned), "time_limit", "plateau" and
  // "enough_time" (nothing better for long, with no budget given), "interrupted" (by `stop`; the
  // same request goes on from there), "nothing legal".
  std::string end;
  std::size_t legal = 0;                    // configurations that could be tried
  std::map<Outcome, std::size_t> outcomes;  // of configurations, first measurements only
  std::string failure;  // where none was right: the commonest reason, with an example

  // Sizes other than the problem's on which answers were checked too. None where the operation has
  // neither a reference of its own nor `checks`: then the tuned size alone was judged.
  std::vector<Problem> other_checks;

  bool found() const { return !implementation.empty(); }
};

// Tunes, and returns when it is done. Blocks; one call at a time for a device on this machine,
// whichever process makes it: others wait. Results are in the database as they come. The caller's
// data are part of what makes a request the same one: other bytes are measured anew.
//
// Throws InputError for the request (an unknown name, an array of the wrong size, …) before
// anything is measured or stored; MachineError where there is no such device, compiler or worker,
// the database cannot be used, or a kernel under Isolation::caller has taken the context; and what
// the callbacks throw.
TuneResult tune(const TuneRequest& request);

}  // namespace tilewright
