// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

// Everything that decides the code. Equal requests give equal code.
struct CompileRequest {
  std::string source;                          // text of the kernel file
  std::string source_name;                     // for messages
  std::map<std::string, std::string> headers;  // quoted include name → text, transitively
  std::vector<std::string> options;            // -D macros and the manifest's options
  std::string architecture;                    // "sm_90", "sm_90a"
  std::vector<std::string> entries;            // kernels to report on; template ones by name
                                               // expression
};

// One kernel of the compiled code, resources from the compiler's report (no threads, blocks or
// occupancy yet; shared_bytes is the static part).
struct CompiledEntry {
  std::string symbol;  // the name to load it by
  Resources resources;
};

// A failed compile is a value: `outcome` says how it failed and `log` why.
struct CompileResult {
  Outcome outcome = Outcome::measured;           // measured: compiled
  std::string log;                               // without lines that vary from run to run
  std::vector<std::uint8_t> code;                // cubin, or a host library
  std::string code_hash;                         // XXH3-128 of what runs (no notes), hexadecimal
  std::map<std::string, CompiledEntry> entries;  // by CompileRequest::entries
  double milliseconds = 0;                       // 0: no compiler answered
  bool from_cache = false;                       // answered by an earlier compile
  bool ok() const { return outcome == Outcome::measured; }
};

// Turns source into code. One object per process or thread.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Throws MachineError only when there is no compiler at all.
  virtual CompileResult compile(const CompileRequest& request) = 0;
  // The same, but `code` is PTX, the assembly language of GPUs, as text, and has no hash.
  virtual CompileResult compile_to_ptx(const CompileRequest&) {
    CompileResult result;
    result.outcome = Outcome::unsupported;
    result.log = version() + " has no PTX";
    return result;
  }
  // "NVRTC 13.0"; part of the cache's key and of the environment record.
  virtual std::string version() const = 0;
};

}  // namespace tilewright
