#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/proof_runner.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/host/compile/sanitizers.hpp"
#include "tuner/worker/device_client.hpp"

namespace tilewright::test {

inline constexpr bool kSanitized = host::kSanitized;

// Whether all proofs run. Kernels under sanitizers take several times as long to compile and run,
// so a sanitized build proves a part of each case, unless TILEWRIGHT_PROOFS is "full"
// (Host.ProofsInFull).
inline bool proves_in_full() {
  const char* const proofs = std::getenv("TILEWRIGHT_PROOFS");
  return !kSanitized || (proofs != nullptr && std::string_view(proofs) == "full");
}

// Of a part of the proofs every `nth` case runs.
inline std::size_t step_of_part(std::size_t nth) {
  return proves_in_full() ? 1 : nth;
}

// The system's compiler, started at the first call, behind the cache that tests share.
Compiler& host_compiler();
// The same without the cache, for tests of compiling itself.
host::HostCompiler new_host_compiler();

// The source may include the headers of kernel_templates/common.
CompileRequest request_for(const std::string& source, std::vector<std::string> entries);

ProofBench host_bench();

// Of a part of the proofs, every `step`th condition, beginning with another one in each turn.
struct Part {
  std::size_t turn = 0;
  std::size_t step = 1;
};

// Proves one configuration for each condition on the problem, of a part of the proofs for some.
void prove_conditions(const Family& family, const Implementation& implementation,
                      const std::vector<std::string>& problem,
                      const std::vector<std::string>& conditions, Part part);

// A problem x → y, y = 2 · x of kCount floats; answers from a kernel of its own. Tests give
// kernels `run(const float* x, float* y, int count)`, kThreads threads a block.
inline constexpr std::int64_t kCount = 1000;
inline constexpr std::int64_t kThreads = 128;
SessionPlan doubling();
KernelPlan doubling_kernel(const std::string& source, std::int64_t shared_bytes = 0,
                           std::vector<std::string> entries = {"run"});
// Right, with a mistake after its work.
std::string doubling_source(const std::string& mistake = "");

// A device session in a worker process.
std::unique_ptr<Evaluator> worker_session();

}  // namespace tilewright::test
