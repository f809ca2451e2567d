// A worker program for tests, which behaves as it is told:
//   fake_worker compile         a compiler; CompileRequest::source is the behaviour
//   fake_worker device          an evaluator; KernelPlan::symbols["load"], ["verify"], ["sample"]
//                               are the behaviours of those steps
//   fake_worker do BEHAVIOUR    does this once, before any message
//   fake_worker echo            writes back what it reads
//   fake_worker refuse          reports that it cannot work, as a worker without a compiler does
// Behaviours: "answer", "hang", "crash", "abort", "exit N", "signal N" (sent to itself), "once PATH
// SIGNAL [BEHAVIOUR]" (the same while there is no file PATH, which it makes; then that), "eat"
// (memory), "garbage" (on standard output), "fail" (a failure as a value), "fault" (a faulted
// failure), "grandchild PATH" (starts one, writes its process id there and hangs), "print TEXT",
// "say JSON" (a message before the answer). Other text is "answer".
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "definition/json/codec.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright {
namespace {

std::string argument_of(const std::string& behaviour) {
  return behaviour.substr(std::min(behaviour.find(' ') + 1, behaviour.size()));
}

[[noreturn]] void hang() {
  for (;;) pause();
}

[[noreturn]] void eat_memory() {
  std::vector<std::vector<char>> eaten;
  for (;;) eaten.emplace_back(std::size_t{16} << 20, 'x');
}

[[noreturn]] void start_grandchild(const std::string& path) {
  const pid_t pid = fork();
  if (pid == 0) hang();
  std::ofstream(path + ".part") << pid;
  std::rename((path + ".part").c_str(), path.c_str());
  hang();
}

[[noreturn]] void die_of(int number) {
  signal(number, SIG_DFL);  // sanitizers catch some
  raise(number);
  hang();
}

void die_once(const std::string& path_and_signal) {
  const std::size_t space = path_and_signal.find(' ');
  const std::string path = path_and_signal.substr(0, space);
  if (access(path.c_str(), F_OK) == 0) return;
  std::ofstream(path) << "died\n";
  die_of(std::stoi(path_and_signal.substr(space + 1)));
}

void print(const std::string& text) {
  if (write(STDOUT_FILENO, text.data(), text.size()) < 0) std::exit(1);
}

// Returns only for behaviours that end in an answer.
void behave(const std::string& behaviour) {
  const std::string verb = behaviour.substr(0, behaviour.find(' '));
  if (verb == "hang") hang();
  if (verb == "crash") die_of(SIGSEGV);
  if (verb == "abort") std::abort();
  if (verb == "signal") die_of(std::stoi(argument_of(behaviour)));
  if (verb == "once") {
    die_once(argument_of(behaviour));
    return behave(argument_of(argument_of(argument_of(behaviour))));
  }
  if (verb == "exit") _exit(std::stoi(argument_of(behaviour)));
  if (verb == "eat") eat_memory();
  if (verb == "garbage") print(std::string("\x03\x00\x00\x00\xff\xff\xff", 7));
  if (verb == "print") print(argument_of(behaviour));
  if (verb == "say") write_message(STDOUT_FILENO, parse_sorted(argument_of(behaviour)));
  if (verb == "grandchild") start_grandchild(argument_of(behaviour));
}

class FakeCompiler final : public Compiler {
 public:
  CompileResult compile(const CompileRequest& request) override {
    behave(request.source);
    if (request.source == "no compiler") throw MachineError("there is no compiler");
    CompileResult result;
    result.milliseconds = 1;
    result.log = "process " + std::to_string(getpid());
    if (request.source == "fail") {
      result.outcome = Outcome::compile_failed;
      return result;
    }
    result.code.assign(request.source.begin(), request.source.end());
    result.code_hash = "hash of " + request.source;
    for (const std::string& entry : request.entries) result.entries[entry].symbol = entry;
    return result;
  }
  std::string version() const override { return "fake"; }
};

// Its answers contain the process id, the session's seed and the number of opens.
class FakeEvaluator final : public Evaluator {
 public:
  void open(const SessionPlan& plan) override {
    if (plan.device_index == 99) throw MachineError("there is no device 99");
    if (plan.device_index == 98) throw InputError("the plan is no good");
    if (plan.device_index == 97) behave("crash");
    if (plan.device_index == 96) behave("hang");
    if (plan.device_index == 95) behave("signal 15");
    for (const SessionProblem& problem : plan.problems) behave(problem.problem.operation);
    plan_ = plan;
  }
  Attempt<Resources> load(const KernelPlan& kernel) override {
    kernel_ = kernel;
    if (auto failure = step("load")) return *failure;
    Resources resources;
    resources.registers = static_cast<int>(getpid());
    resources.shared_bytes = static_cast<std::int64_t>(plan_.seed);
    return resources;
  }
  Attempt<Verification> verify() override {
    if (auto failure = step("verify")) return *failure;
    Verification verification;
    verification.seed = plan_.seed;
    verification.outputs_total = static_cast<std::int64_t>(kernel_.code.size());
    return verification;
  }
  Attempt<Timing> sample(const SampleRequest& request) override {
    if (auto failure = step("sample")) return *failure;
    return summarise(std::vector<double>(static_cast<std::size_t>(request.minimum_samples), 2.5), 1,
                     0);
  }

 private:
  std::optional<Failure> step(const std::string& name) {
    const std::string behaviour = kernel_.symbols[name];
    behave(behaviour);
    if (behaviour == "fail") return Failure{Outcome::wrong_answer, name + " went wrong"};
    if (behaviour == "fault") return Failure{Outcome::faulted, name + " faulted"};
    if (behaviour == "broken") throw MachineError(name + " broke the machine");
    return std::nullopt;
  }

  SessionPlan plan_;
  KernelPlan kernel_;
};

int echo() {
  char bytes[256];
  for (ssize_t count = 0; (count = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
    print(std::string(bytes, static_cast<std::size_t>(count)));
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) return 2;
  if (words[0] == "compile") {
    FakeCompiler compiler;
    serve_compiler(compiler, STDIN_FILENO, STDOUT_FILENO);
  } else if (words[0] == "device") {
    FakeEvaluator evaluator;
    serve_evaluator(evaluator, STDIN_FILENO, STDOUT_FILENO);
  } else if (words[0] == "do" && words.size() == 2) {
    behave(words[1]);
  } else if (words[0] == "echo") {
    return echo();
  } else if (words[0] == "refuse") {
    send_machine_error(STDOUT_FILENO, "this worker refuses");
    return 3;
  } else {
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  return tilewright::run({argv + 1, argv + argc});
}
