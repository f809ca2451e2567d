#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tests/support/test_code.hpp"
#include "tuner/worker/cubin_cache.hpp"

namespace tilewright::test {

// Asks the cache before the compiler, as sweeps and applications do.
class CachedCompiler final : public Compiler {
 public:
  CachedCompiler(std::unique_ptr<Compiler> compiler, const std::filesystem::path& folder)
      : compiler_(std::move(compiler)), cache_(folder) {}

  CompileResult compile(const CompileRequest& request) override {
    const bool names_another = !request.compiler.empty();
    const std::string version = names_another ? compiler_->other_compiler() : compiler_->version();
    const std::string key = cache_key(request, version, compiler_->headers());
    if (auto known = cache_.find(key)) return *std::move(known);
    CompileResult result = compiler_->compile(request);
    cache_.store(key, result);
    return result;
  }
  std::string version() const override { return compiler_->version(); }

 private:
  std::unique_ptr<Compiler> compiler_;
  CubinCache cache_;
};

}  // namespace tilewright::test
