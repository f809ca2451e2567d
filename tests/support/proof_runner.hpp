#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "definition/library/library.hpp"
#include "tuner/backend/evaluator.hpp"

#include "tuner/sweep/run/sweep.hpp"

namespace tilewright {

inline void PrintTo(Outcome outcome, std::ostream* stream) {
  *stream << to_text(outcome);
}

}  // namespace tilewright

namespace tilewright::test {

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

// The family with each snippet that fits its hook "epilogue", and with one that changes nothing.
// The built-in reference checks the kernels without a snippet. These kernels, with the snippet that
// changes nothing, check the reference kernel, which is the reference for problems with a snippet.
std::vector<Family> with_each_snippet(const Family& family, std::vector<Snippet> snippets);

// What a session needs for these problems of the request, with the kernels compiled that fill
// arguments and that compute right answers. Fails the test with the compiler's log.
SessionPlan compiled_session(const SweepRequest& request, const std::vector<Problem>& problems,
                             Compiler& compiler);

// What proofs run on.
struct ProofBench {
  Device device;
  BackendFacts backend;
  Compiler* compiler = nullptr;
  std::unique_ptr<Evaluator> session;
};

// Runs configurations of one implementation as a sweep does, in this process and without a
// store: plan, compile, check resources, load, verify.
class ProofRunner {
 public:
  ProofRunner(const Family& family, const Implementation& implementation, ProofBench bench);

  // Opens a session on the problem ("M=33 N=17") and the operation's checks.
  void open(const std::vector<std::string>& assignments);

  // The default, if `where` allows it, and other legal configurations of the opened problem, chosen
  // with a fixed seed. At most `count` in all. Fails the test if there is none.
  std::vector<Configuration> sample(std::size_t count, const std::string& where = "1") const;

  bool is_legal(const Configuration& configuration) const;

  // Fails the test unless the answers are right. Skips a configuration whose compiled code breaks a
  // limit of the device.
  void prove(const Configuration& configuration);
  // As prove(); the test also fails if timing fails.
  void prove_and_time(const Configuration& configuration);

  std::size_t proven() const { return proven_; }

 private:
  const CompileResult& compiled(const Configuration& configuration);

  ProofBench bench_;
  SweepRequest request_;
  const Implementation& implementation_;
  KernelSource source_;
  std::vector<Problem> problems_;
  std::map<std::string, CompileResult> compiled_;  // by options
  std::size_t proven_ = 0;
};

}  // namespace tilewright::test
