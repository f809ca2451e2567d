#include "tuner/worker/serve.hpp"

#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <new>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kForEver{0};

// The process that serves requests. A kernel of the host device runs in it, and may change it for
// the kernels that come later.
class OwnProcess {
 public:
  // Remembers how it is. The calls fail for signals that nobody can handle.
  OwnProcess() {
    for (int signal = 1; signal < NSIG; ++signal)
      sigaction(signal, nullptr, &actions_.at(static_cast<std::size_t>(signal)));
  }

  // To be called before each answer. Signals are handled as they were, and no alarm is left. A copy
  // of the process, which a kernel made, ends here: it must not answer in its parent's place.
  void restore() const {
    if (getpid() != id_) _exit(0);
    const itimerval none = {};
    for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF})
      setitimer(timer, &none, nullptr);
    for (int signal = 1; signal < NSIG; ++signal)
      sigaction(signal, &actions_.at(static_cast<std::size_t>(signal)), nullptr);
  }

 private:
  pid_t id_ = getpid();
  std::array<struct sigaction, NSIG> actions_ = {};  // by signal
};

template <class T>
nlohmann::json reply_of(const Attempt<T>& attempt) {
  if (attempt.ok()) return {{"ok", attempt.value()}};
  return {{"failure", attempt.failure()}};
}

nlohmann::json perform(Evaluator& evaluator, const nlohmann::json& request) {
  const std::string verb = request.at("verb").get<std::string>();
  if (verb == "open") {
    evaluator.open(request.at("argument").get<SessionPlan>());
    return {{"ok", nullptr}};
  }
  if (verb == "list") {
    const auto question = request.at("argument").get<RoutineQuestion>();
    return {{"ok", evaluator.list(question.device_index, question.routine)}};
  }
  if (verb == "simple_answers") return {{"ok", evaluator.simple_answers()}};
  if (verb == "load") return reply_of(evaluator.load(request.at("argument").get<KernelPlan>()));
  if (verb == "verify") return reply_of(evaluator.verify());
  if (verb == "sample")
    return reply_of(evaluator.sample(request.at("argument").get<SampleRequest>()));
  return {{"machine_error", "the device process was asked for the unknown step '" + verb + "'"}};
}

nlohmann::json answer(Evaluator& evaluator, const nlohmann::json& request) {
  try {
    return perform(evaluator, request);
  } catch (const InputError& error) {
    return {{"input_error", error.what()}};
  } catch (const std::exception& error) {
    return {{"machine_error", error.what()}};
  }
}

bool lost_the_device(const nlohmann::json& reply) {
  const auto failure = reply.find("failure");
  return failure != reply.end() && failure->get<Failure>().outcome == Outcome::faulted;
}

nlohmann::json answer(Compiler& compiler, const nlohmann::json& request) {
  try {
    return {{"result", compiler.compile(request.get<CompileRequest>())}};
  } catch (const std::bad_alloc&) {
    return {{"result", CompileResult{.outcome = Outcome::compile_timed_out,
                                     .log = "the compiler ran out of memory"}}};
  } catch (const std::exception& error) {
    return {{"machine_error", error.what()}};
  }
}

constexpr const char* kCompile = "compile";
constexpr const char* kDevice = "device";
constexpr const char* kNvrtc = "--nvrtc";
constexpr const char* kNvcc = "--nvcc";
constexpr const char* kHostCompiler = "--host-compiler";
constexpr const char* kEvaluator = "--evaluator";
constexpr const char* kCallable = "--callable";

std::optional<DeviceKind> kind_named(const std::string& name) {
  const auto* const found = std::ranges::find_if(
      kDeviceKinds, [&name](DeviceKind kind) { return to_text(kind) == name; });
  return found == kDeviceKinds.end() ? std::nullopt : std::optional(*found);
}

// Options with their values, from the word `i` to the one before `end`.
bool read_toolchain(const std::vector<std::string>& words, std::size_t i, std::size_t end,
                    Toolchain& toolchain) {
  if ((end - i) % 2 != 0) return false;
  for (; i < end; i += 2) {
    if (words[i] == kNvrtc)
      toolchain.toolkit_folders.emplace_back(words[i + 1]);
    else if (words[i] == kNvcc)
      toolchain.nvcc = words[i + 1];
    else if (words[i] == kHostCompiler)
      toolchain.host_compiler = words[i + 1];
    else
      return false;
  }
  return true;
}

}  // namespace

void serve_compiler(Compiler& compiler, int input, int output) {
  nlohmann::json request;
  while (read_message(input, request, kForEver) == ReadStatus::message) {
    const nlohmann::json reply = answer(compiler, request);
    if (!write_message(output, reply) || reply.contains("machine_error")) return;
  }
}

void serve_evaluator(Evaluator& evaluator, int input, int output) {
  const OwnProcess process;
  nlohmann::json request;
  while (read_message(input, request, kForEver) == ReadStatus::message) {
    const nlohmann::json reply = answer(evaluator, request);
    process.restore();
    if (!write_message(output, reply) || lost_the_device(reply)) return;
  }
}

void send_machine_error(int output, const std::string& text) {
  write_message(output, {{"machine_error", text}});
}

std::vector<std::string> arguments_of(const WorkerRole& role) {
  const bool compiles = role.task == WorkerRole::Task::compile;
  std::vector<std::string> words = {compiles ? kCompile : kDevice, std::string(to_text(role.kind))};
  for (const std::filesystem::path& folder : role.toolchain.toolkit_folders)
    words.insert(words.end(), {kNvrtc, folder.string()});
  if (compiles && !role.toolchain.nvcc.empty())
    words.insert(words.end(), {kNvcc, role.toolchain.nvcc.string()});
  if (compiles && !role.toolchain.host_compiler.empty())
    words.insert(words.end(), {kHostCompiler, role.toolchain.host_compiler.string()});
  if (role.evaluator.empty()) return words;
  words.emplace_back(role.evaluator.is_timed_by_author() ? kEvaluator : kCallable);
  words.insert(words.end(), role.evaluator.words.begin(), role.evaluator.words.end());
  return words;
}

std::optional<WorkerRole> read_role(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != kCompile && words[0] != kDevice)) return std::nullopt;
  WorkerRole role;
  if (words[0] == kDevice) role.task = WorkerRole::Task::device;
  std::size_t next = 1;
  if (words.size() > 1)
    if (const auto kind = kind_named(words[1])) {
      role.kind = *kind;
      next = 2;
    }
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(next);
  const auto end = std::find_if(first, words.end(), [](const std::string& word) {
    return word == kEvaluator || word == kCallable;
  });
  if (end != words.end()) {
    role.evaluator.words.assign(end + 1, words.end());
    if (*end == kCallable) role.evaluator.timed_by = TimedBy::tilewright;
    if (role.evaluator.empty()) return std::nullopt;
  }
  const auto count = static_cast<std::size_t>(end - words.begin());
  return read_toolchain(words, next, count, role.toolchain) ? std::optional(role) : std::nullopt;
}

}  // namespace tilewright
