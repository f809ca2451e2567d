#pragma once

#include <cstdint>
#include <map>
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

// A failed compile is a value, not an exception: `outcome` says how it failed and `log` why.
struct CompileResult {
  Outcome outcome = Outcome::measured;           // measured: it compiled
  std::string log;                               // without lines that vary from run to run
  std::vector<std::uint8_t> code;                // cubin, or a host library; of several units
                                                 // what join_units() makes of them
  std::string code_hash;                         // XXH3-128 of the code without notes, in hex
  std::map<std::string, CompiledEntry> entries;  // by entry_key.hpp
  double milliseconds = 0;                       // 0: no compiler answered
  bool from_cache = false;                       // answered by an earlier compile
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
    CompileResult result;
    result.outcome = Outcome::unsupported;
    result.log = version() + " has no PTX";
    return result;
  }
  // "NVRTC 13.0". It is part of the cache's key and of the environment that a sweep records.
  virtual std::string version() const = 0;
  // What stands for the headers that sources can include in <…>, for the cache's key. Empty: none.
  virtual std::string headers() const { return ""; }
  // What stands for the compiler that requests name instead, for the cache's key. Empty: none.
  virtual std::string other_compiler() const { return ""; }
};

}  // namespace tilewright
