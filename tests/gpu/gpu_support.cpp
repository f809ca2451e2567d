#include "tests/gpu/gpu_support.hpp"

#include <cstdlib>

#include "tests/support/cached_compiler.hpp"
#include "tuner/cuda/compile/nvrtc.hpp"
#include "tuner/cuda/session/session.hpp"

namespace tilewright::test {
namespace {

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

const DeviceList& devices() {
  static const DeviceList list = cuda::list_devices();
  return list;
}

}  // namespace

std::filesystem::path source_folder() {
  return environment("TILEWRIGHT_TEST_SOURCE", TILEWRIGHT_SOURCE_DIR);
}

std::filesystem::path program_folder() {
  return environment("TILEWRIGHT_TEST_BIN", TILEWRIGHT_BINARY_DIR "/bin");
}

std::unique_ptr<Evaluator> make_proof_session() {
  cuda::SessionOptions options;
  if (environment("TILEWRIGHT_TEST_GUARDS", "1") == "0") options.guard_bytes = 0;
  return cuda::make_session(options);
}

ProofBench proof_bench(const Device& device) {
  return {device, cuda::backend_facts(device), &compiler(), make_proof_session()};
}

std::string architecture(const Device& device) {
  return "sm_" + std::to_string(device.compute_capability);
}

Compiler& compiler() {
  static CachedCompiler compiler(
      std::make_unique<cuda::Nvrtc>(std::vector<std::filesystem::path>{program_folder()}),
      test_code(program_folder().parent_path()));
  return compiler;
}

CompileResult compile(const CompileRequest& request) {
  CompileResult result = compiler().compile(request);
  EXPECT_TRUE(result.ok()) << request.source_name << ":\n" << result.log;
  return result;
}

void GpuTest::SetUp() {
  if (devices().devices.empty()) GTEST_SKIP() << devices().why;
  report_ = devices().devices.front();
}

}  // namespace tilewright::test
