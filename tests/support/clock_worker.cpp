// A tilewright-worker with a fake clock, for tests that compare whole sweeps. It takes the worker's
// command lines, but neither compiles nor runs anything. A configuration's outcome and time are
// pure functions of its macros TILE and STEP. Each step takes a short time, so that tests can
// interrupt it. A file TMPDIR/lost-N says that the device with index N has fallen off the bus.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tilewright/error.hpp"
#include "tuner/measure/sampling.hpp"
#include "tuner/worker/serve.hpp"

namespace tilewright {
namespace {

// What becomes of a configuration.
enum class Fate {
  compile_failed,
  compiler_crashed,
  launch_failed,
  wrong_answer,
  worker_died,
  measured
};

constexpr std::uint64_t kFates = 25;  // so many that most configurations are measured

// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

Fate fate_of(const std::string& code) {
  const std::uint64_t number = hash_of(code) % kFates;
  return number < static_cast<std::uint64_t>(Fate::measured) ? static_cast<Fate>(number)
                                                             : Fate::measured;
}

double time_us(const std::string& code) {
  return 100.0 + static_cast<double>(hash_of(code) / kFates % 4096) / 16.0;
}

void take_a_while() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

[[noreturn]] void die() {
  std::signal(SIGSEGV, SIG_DFL);  // sanitizers catch it
  std::raise(SIGSEGV);
  _exit(1);
}

class ClockCompiler final : public Compiler {
 public:
  CompileResult compile(const CompileRequest& request) override {
    take_a_while();
    CompileResult result;
    result.milliseconds = 1;
    std::string code;
    for (const std::string& option : request.options)
      if (option.starts_with("-DTILE=") || option.starts_with("-DSTEP=")) code += option;
    if (!code.empty() && fate_of(code) == Fate::compiler_crashed) die();
    if (!code.empty() && fate_of(code) == Fate::compile_failed) {
      result.outcome = Outcome::compile_failed;
      result.log = "does not compile";
      return result;
    }
    result.code.assign(code.begin(), code.end());
    result.code_hash = "code " + code;
    for (const std::string& entry : request.entries) result.entries[entry].symbol = entry;
    return result;
  }
  std::string version() const override { return "clock"; }
};

class ClockEvaluator final : public Evaluator {
 public:
  void open(const SessionPlan& plan) override {
    take_a_while();
    seed_ = plan.seed;
    index_ = plan.device_index;
    if (is_lost()) throw MachineError("the GPU has fallen off the bus");
  }
  Attempt<Resources> load(const KernelPlan& kernel) override {
    take_a_while();
    if (is_lost()) die();
    code_.assign(kernel.code.begin(), kernel.code.end());
    if (fate_of(code_) == Fate::launch_failed)
      return Failure{Outcome::launch_failed, "cannot be launched"};
    return Resources{};
  }
  Attempt<Verification> verify() override {
    take_a_while();
    if (fate_of(code_) == Fate::worker_died) die();
    if (fate_of(code_) == Fate::wrong_answer) return Failure{Outcome::wrong_answer, "is wrong"};
    Verification verification;
    verification.seed = seed_;
    return verification;
  }
  Attempt<Timing> sample(const SampleRequest& request) override {
    take_a_while();
    return take_samples(request, 1, [this] { return time_us(code_); });
  }

 private:
  bool is_lost() const {
    const char* const folder = std::getenv("TMPDIR");
    return folder != nullptr && std::filesystem::exists(std::filesystem::path(folder) /
                                                        ("lost-" + std::to_string(index_)));
  }

  std::uint64_t seed_ = 0;
  int index_ = 0;
  std::string code_;
};

int run(const std::vector<std::string>& words) {
  if (words.empty()) return 2;
  if (words[0] == "compile") {
    ClockCompiler compiler;
    serve_compiler(compiler, STDIN_FILENO, STDOUT_FILENO);
  } else {
    ClockEvaluator evaluator;
    serve_evaluator(evaluator, STDIN_FILENO, STDOUT_FILENO);
  }
  return 0;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  return tilewright::run({argv + 1, argv + argc});
}
