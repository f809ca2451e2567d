#pragma once

#include <exception>
#include <string>
#include <utility>

#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// Carries a trial's failure up to the session, which returns it as a value.
class TrialError : public std::exception {
 public:
  explicit TrialError(Failure failure) : failure_(std::move(failure)) {}
  TrialError(Outcome outcome, std::string message) : failure_{outcome, std::move(message)} {}
  const Failure& failure() const { return failure_; }
  const char* what() const noexcept override { return failure_.message.c_str(); }

 private:
  Failure failure_;
};

}  // namespace tilewright
