// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/runtime/code_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "tilewright/error.hpp"
#include "tuner/backend/facts.hpp"
#include "tuner/backend/host/compiler.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/backend/cuda/nvrtc.hpp"
#endif

namespace tilewright {
namespace {

std::filesystem::path usual_host_compiler() {
  for (const char* program : {"/usr/bin/c++", "/usr/bin/g++", "/usr/bin/clang++"})
    if (access(program, X_OK) == 0) return program;
  return {};
}

std::unique_ptr<Compiler> make_host_compiler(const CodeSourceOptions& options) {
  const auto program =
      options.host_compiler.empty() ? usual_host_compiler() : options.host_compiler;
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
  code.hash = std::move(result.code_hash);
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

CompileResult CodeSource::compile(const CompileRequest& request) {
  Compiler& compiler = compiler_for(request.architecture);
  const std::string key = cache_key(request, compiler.version());
  if (auto known = cache_.find(key)) return *std::move(known);
  CompileResult result = compiler.compile(request);
  cache_.store(key, result);
  return result;
}

}  // namespace tilewright
