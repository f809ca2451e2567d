// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tuner/backend/cuda/devices.hpp"
#include "tuner/backend/cuda/nvrtc.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

inline void PrintTo(Outcome outcome, std::ostream* stream) {
  *stream << to_text(outcome);
}

}  // namespace tilewright

namespace tilewright::test {

// The repository and the built programs. TILEWRIGHT_TEST_SOURCE and TILEWRIGHT_TEST_BIN say
// where they are when the tests run on another machine than they were built on.
std::filesystem::path source_folder();
std::filesystem::path program_folder();

// A session for kernels that ought to be right; TILEWRIGHT_TEST_GUARDS=0 leaves the guard zones
// away, so that compute-sanitizer sees the true bounds of every buffer.
std::unique_ptr<Evaluator> make_proof_session();

// "sm_90" for the first device.
std::string architecture(const Device& device);

// NVRTC, loaded at the first call.
cuda::Nvrtc& compiler();

// Fails the test with the compiler's log.
CompileResult compile(const CompileRequest& request);

// The text of a step's failure, for messages; "ok" if there is none.
template <class T>
std::string to_text(const Attempt<T>& attempt) {
  if (attempt.ok()) return "ok";
  return std::string(tilewright::to_text(attempt.failure().outcome)) + ": " +
         attempt.failure().message;
}

// The outcome of a step; `measured` if it succeeded.
template <class T>
Outcome outcome(const Attempt<T>& attempt) {
  return attempt.ok() ? Outcome::measured : attempt.failure().outcome;
}

// Skips where there is no GPU and says why.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  const Device& device() const { return report_.device; }

 private:
  cuda::DeviceReport report_;
};

}  // namespace tilewright::test
