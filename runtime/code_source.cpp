#include "runtime/code_source.hpp"

#include <utility>

#include "definition/architecture.hpp"
#include "definition/text/errors.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {

RecipeCode code_of(CompileResult result) {
  if (!result.ok())
    throw broken_machine("the code does not compile ({}):\n{}", to_text(result.outcome),
                         result.log);
  RecipeCode code;
  for (const auto& [name, entry] : result.entries) code.symbols[name] = entry.symbol;
  code.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(result.code));
  return code;
}

namespace {

std::string cache_key_of(const CompileRequest& request, const Compiler& compiler) {
  return cache_key(request,
                   request.compiler.empty() ? compiler.version() : compiler.other_compiler(),
                   compiler.headers());
}

}  // namespace

CodeSource::CodeSource(const RuntimeOptions& options) : options_(options), cache_(options_.cache) {}

Compiler& CodeSource::compiler_for(const std::string& architecture) {
  const std::lock_guard lock(mutex_);
  const DeviceKind kind = kind_of_architecture(architecture);
  std::unique_ptr<Compiler>& compiler = compilers_[kind];
  if (!compiler) {
    Toolchain toolchain{options_.host_compiler, options_.toolkits, options_.scratch};
    if (toolchain.host_compiler.empty()) toolchain.host_compiler = usual_host_compiler();
    compiler = backend_of(kind).make_compiler(toolchain);
  }
  return *compiler;
}

std::string CodeSource::compiler_version(const std::string& architecture) {
  const DeviceKind kind = kind_of_architecture(architecture);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = versions_.find(kind); known != versions_.end()) return known->second;
  }
  std::string version;
  try {
    version = compiler_for(architecture).version();
  } catch (const MachineError&) {  // no compiler: nothing to compare with
  }
  const std::lock_guard lock(mutex_);
  return versions_[kind] = version;
}

bool CodeSource::is_known(const CompileRequest& request) try {
  if (request.compiler == kNoCompiler) return true;
  const Compiler& compiler = compiler_for(request.architecture);
  const auto known = cache_.find(cache_key_of(request, compiler));
  return known && known->ok();
} catch (const MachineError&) {
  return false;
}

CompileResult CodeSource::compile(const CompileRequest& request) {
  if (request.compiler == kNoCompiler) return {};
  Compiler& compiler = compiler_for(request.architecture);
  const std::string key = cache_key_of(request, compiler);
  if (auto known = cache_.find(key)) return *std::move(known);
  CompileResult result = compiler.compile(request);
  cache_.store(key, result);
  return result;
}

}  // namespace tilewright
