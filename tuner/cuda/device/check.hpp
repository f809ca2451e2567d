// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/backend/evaluator.hpp"

namespace tilewright::cuda {

// "cudaErrorMisalignedAddress: misaligned address"
std::string error_text(cudaError_t error);

// Throws MachineError "cannot WHAT: …" for anything but success, and clears the last error.
void check(cudaError_t error, std::string_view what);

// For destructors: forgets an error, whatever it was.
void swallow(cudaError_t error) noexcept;

// Carries a trial's failure out of the layers below a session, which turns it into a value.
class TrialError : public std::exception {
 public:
  explicit TrialError(Failure failure) : failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }
  const char* what() const noexcept override { return failure_.message.c_str(); }

 private:
  Failure failure_;
};

// What an error of the code under trial amounts to: `faulted` if the device is lost to this
// process, else `launch_failed`, with the last error cleared. Throws MachineError for errors
// that no kernel can cause, such as uncorrectable memory errors.
Failure failure_of(cudaError_t error, std::string_view what);

// Throws TrialError: the launch failed for this reason.
[[noreturn]] void refuse(std::string message);

// Throws TrialError with failure_of for anything but success.
void check_trial(cudaError_t error, std::string_view what);

}  // namespace tilewright::cuda
