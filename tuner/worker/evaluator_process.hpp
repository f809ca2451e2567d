#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {

// The version of the protocol of docs/evaluator.md.
inline constexpr int kEvaluatorProtocol = 1;

// What `ok` has in an answer of that protocol, or what `error` says. Throws BadAnswer.
Attempt<nlohmann::json> read_evaluators_answer(const nlohmann::json& answer);

// The member `resources` of `ok`, which may be missing. Throws BadAnswer.
Resources evaluators_resources(const nlohmann::json& ok);

// A process that somebody else wrote, and that answers requests by the protocol of
// docs/evaluator.md. It starts when it is first needed, and again after it was lost. It is lost if
// it dies or says something wrong. Nothing here has a time limit: who calls runs in a worker that
// is ended with the process. Not thread-safe.
class EvaluatorProcess {
 public:
  // `command` is that of command_of(); the first word may be found by PATH.
  explicit EvaluatorProcess(std::vector<std::string> command) : command_(std::move(command)) {}

  // Says hello, unless the process is there and got this hello last. Throws MachineError if there
  // is no such process, or if it does not accept the hello: nothing can be evaluated then.
  void begin(nlohmann::json hello);

  // Requires begin(). The object that answers the request, or what went wrong: `faulted` if the
  // process was lost. Throws like begin() if the process has to start again.
  Attempt<nlohmann::json> ask(const std::string& verb, nlohmann::json request = {});

  // Ends the process, because an answer cannot be used.
  Failure lose_because_of(const std::string& verb, const std::string& wrong);

 private:
  void start();
  Attempt<nlohmann::json> exchange(const std::string& verb, nlohmann::json request);
  nlohmann::json next_answer(int id);
  std::optional<std::string> next_line();
  void read_log();
  std::string with_log(std::string text);
  Failure lose_to_death(const std::string& verb);

  std::vector<std::string> command_;
  nlohmann::json hello_;
  std::optional<Process> process_;
  int id_ = 0;
  std::string unread_;  // of what the process has said
  std::string log_;     // the end of what it wrote since the last request
};

}  // namespace tilewright
