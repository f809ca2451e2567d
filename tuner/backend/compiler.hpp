#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright {

// One kernel of the compiled code. Its resources come from the compiler's report: threads, blocks
// and occupancy are not known yet, and shared_bytes is the static part.
struct CompiledEntry {
  std::string symbol;  // the name to load it by
  Resources resources;
};

// That of the launch with the fewest resident blocks, or with the most threads if residency is
// unknown or equal. All members are unknown if there is no launch.
Resources costliest(const std::vector<Resources>& launches);

// A failed compile is a value, not an exception: `outcome` says how it failed and `log` why.
struct CompileResult {
  Outcome outcome = Outcome::measured;                // measured: it compiled
  std::string log = {};                               // without lines that vary from run to run
  std::vector<std::uint8_t> code = {};                // cubin, or a host library; of several units
                                                      // what join_units() makes of them
  std::string code_hash = {};                         // XXH3-128 of the code without notes, in hex
  std::map<std::string, CompiledEntry> entries = {};  // by entry_key()
  double milliseconds = 0;                            // 0: no compiler answered
  bool from_cache = false;                            // answered by an earlier compile
  bool ok() const { return outcome == Outcome::measured; }
};

// Turns source into code. Safe to use from many threads.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Throws MachineError if there is no compiler, or if the machine keeps it from its work.
  virtual CompileResult compile(const CompileRequest& request) = 0;
  // The same, but `code` is PTX as text, and there is no hash.
  virtual CompileResult compile_to_ptx(const CompileRequest&) {
    return {.outcome = Outcome::unsupported, .log = version() + " has no PTX"};
  }
  // "NVRTC 13.0". It is part of the cache's key and of the environment that a sweep records.
  virtual std::string version() const = 0;
  // What stands for the headers that sources can include in <…>, for the cache's key. Empty: none.
  virtual std::string headers() const { return ""; }
  // What stands for the compiler that requests name instead, for the cache's key. Empty: none.
  virtual std::string other_compiler() const { return ""; }
};

// Where compiles happen: processes of a CompilePool, or a fake in tests.
class CompileQueue {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  struct Done {
    std::size_t ticket = 0;
    CompileResult result;
    Moment begun = {};  // by a process
    Moment ended = {};
  };
  virtual ~CompileQueue() = default;
  // `ticket` comes back with the result.
  virtual void submit(std::size_t ticket, CompileRequest request) = 0;
  // The next result, in the order in which they finish. Waits up to `limit`.
  virtual std::optional<Done> next(std::chrono::milliseconds limit) = 0;
  // Drops everything that was submitted, so that it gives no result. Returns at which moments the
  // running compiles began.
  virtual std::vector<Moment> withdraw() = 0;
  virtual int processes() const = 0;
};

}  // namespace tilewright
