#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/launch/recipe.hpp"
#include "tilewright/runtime.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/worker/cubin_cache.hpp"

namespace tilewright {

// Throws MachineError if it did not compile.
RecipeCode code_of(CompileResult result);

// Compiled code from the cache, else compiled in this process. A compiler is searched for when it
// is first needed. Safe to use from many threads.
class CodeSource {
 public:
  explicit CodeSource(const RuntimeOptions& options);

  // Throws MachineError if there is no compiler.
  CompileResult compile(const CompileRequest& request);
  // Whether the cache has the code. False if there is no compiler.
  bool is_known(const CompileRequest& request);
  // Throws MachineError if there is no compiler or the code does not compile.
  RecipeCode get(const CompileRequest& request) { return code_of(compile(request)); }

  // "NVRTC 13.0"; empty if there was no compiler at the first call.
  std::string compiler_version(const std::string& architecture);

 private:
  Compiler& compiler_for(const std::string& architecture);

  const RuntimeOptions options_;
  CubinCache cache_;
  std::mutex mutex_;
  std::map<DeviceKind, std::unique_ptr<Compiler>> compilers_;
  std::map<DeviceKind, std::string> versions_;
};

}  // namespace tilewright
