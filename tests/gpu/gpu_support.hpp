#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/proof_runner.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/device/devices.hpp"

namespace tilewright::test {

// The repository and the built programs. TILEWRIGHT_TEST_SOURCE and TILEWRIGHT_TEST_BIN say
// where they are when the tests run on another machine than they were built on.
std::filesystem::path source_folder();
std::filesystem::path program_folder();

// A session for kernels that ought to be right; TILEWRIGHT_TEST_GUARDS=0 leaves the guard zones
// away, so that compute-sanitizer sees the true bounds of every buffer.
std::unique_ptr<Evaluator> make_proof_session();

// All of it, for proofs.
ProofBench proof_bench(const Device& device);

// "sm_90" for the first device.
std::string architecture(const Device& device);

// NVRTC, loaded at the first call, behind the cache that tests share.
Compiler& compiler();

// Fails the test with the compiler's log.
CompileResult compile(const CompileRequest& request);

// The parameter itself, as the name of a test.
inline std::string parameter_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

// Skips where there is no GPU and says why.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  const Device& device() const { return report_.device; }

 private:
  DeviceReport report_;
};

}  // namespace tilewright::test
