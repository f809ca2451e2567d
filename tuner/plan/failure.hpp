#pragma once

#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "tilewright/trial.hpp"

namespace tilewright {

// Why a step of a trial did not succeed. A value, not an exception.
struct Failure {
  Outcome outcome = Outcome::launch_failed;
  std::string message;
};

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

// Throws a TrialError that says why something cannot be launched.
[[noreturn]] inline void refuse_launch(std::string why) {
  throw TrialError(Outcome::launch_failed, std::move(why));
}

// A result, or the reason why there is none.
template <class T>
class Attempt {
 public:
  Attempt(T value) : state_(std::move(value)) {}            // NOLINT: implicit on purpose
  Attempt(Failure failure) : state_(std::move(failure)) {}  // NOLINT: implicit on purpose
  bool ok() const { return std::holds_alternative<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  const Failure& failure() const { return std::get<Failure>(state_); }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace tilewright
