// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/code_source.hpp"

#include <fmt/format.h>

#include <utility>

#include "definition/architecture.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/compile/compiler.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/compile/nvrtc.hpp"
#endif

namespace tilewright {
namespace {

std::unique_ptr<Compiler> make_host_compiler(const CodeSourceOptions& options) {
  const auto program =
      options.host_compiler.empty() ? host::usual_compiler() : options.host_compiler;
  return std::make_unique<host::HostCompiler>(host::CompilerOptions{program, options.scratch});
}

#ifdef TILEWRIGHT_HAS_CUDA
std::unique_ptr<Compiler> make_cuda_compiler(const CodeSourceOptions& options) {
  return std::make_unique<cuda::Nvrtc>(options.toolkits);
}
#else
std::unique_ptr<Compiler> make_cuda_compiler(const CodeSourceOptions&) {
  throw MachineError("this build has no CUDA backend");
}
#endif

}  // namespace

RecipeCode code_of(CompileResult result) {
  if (!result.ok())
    throw MachineError(
        fmt::format("the code does not compile ({}):\n{}", to_text(result.outcome), result.log));
  RecipeCode code;
  for (const auto& [name, entry] : result.entries) code.symbols[name] = entry.symbol;
  code.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(result.code));
  return code;
}

CodeSource::CodeSource(CodeSourceOptions options)
    : options_(std::move(options)), cache_(options_.cache) {}

Compiler& CodeSource::compiler_for(const std::string& architecture) {
  const std::lock_guard lock(mutex_);
  const bool is_host = architecture == kHostArchitecture;
  std::unique_ptr<Compiler>& compiler = is_host ? host_ : cuda_;
  if (!compiler) compiler = is_host ? make_host_compiler(options_) : make_cuda_compiler(options_);
  return *compiler;
}

std::string CodeSource::compiler_version(const std::string& architecture) {
  const bool is_host = architecture == kHostArchitecture;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = versions_.find(is_host); known != versions_.end()) return known->second;
  }
  std::string version;
  try {
    version = compiler_for(architecture).version();
  } catch (const MachineError&) {  // none: nothing to compare with
  }
  const std::lock_guard lock(mutex_);
  return versions_[is_host] = version;
}

CompileResult CodeSource::compile(const CompileRequest& request) {
  Compiler& compiler = compiler_for(request.architecture);
  const std::string key = cache_key(request, compiler.version());
  if (auto known = cache_.find(key)) return *std::move(known);
  CompileResult result = compiler.compile(request);
  cache_.store(key, result);
  return result;
}

}  // namespace tilewright
