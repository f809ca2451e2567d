#include "tuner/worker/evaluator_process.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.hpp"
#include "tilewright/error.hpp"
#include "tuner/worker/device_client.hpp"
#include "tuner/worker/serve.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

using std::chrono::milliseconds;

constexpr const char* kFakeEvaluator = TILEWRIGHT_SOURCE_DIR "/tests/support/fake_evaluator.py";

// Long enough for a busy machine, and short where something hangs on purpose.
constexpr milliseconds kPatient{120'000};
constexpr milliseconds kImpatient{2'000};

std::unique_ptr<Evaluator> client_of(std::vector<std::string> command, milliseconds step,
                                     milliseconds open = kPatient) {
  DeviceClientOptions options;
  options.worker = TILEWRIGHT_WORKER;
  options.arguments =
      arguments_of({WorkerRole::Task::device, DeviceKind::host, {}, std::move(command)});
  options.limits = StepLimits::fixed_at(step);
  options.limits.open = open;
  return make_device_client(options);
}

SessionPlan plan() {
  SessionPlan plan;
  plan.problems.push_back({{"scale", {{"n", 64}}}, {}, {}});
  plan.seed = 5;
  return plan;
}

KernelPlan configuration(const std::string& json) {
  KernelPlan kernel;
  kernel.code.assign(json.begin(), json.end());
  return kernel;
}

// What becomes of a trial.
Failure run_all(Evaluator& client, const std::string& json) {
  const auto loaded = client.load(configuration(json));
  if (!loaded.ok()) return loaded.failure();
  const auto verified = client.verify();
  if (!verified.ok()) return verified.failure();
  const auto timed = client.sample({});
  return timed.ok() ? Failure{Outcome::measured, ""} : timed.failure();
}

struct Fault {
  const char* step;
  const char* name;
  Outcome outcome;
  const char* message;
};

// Every one costs its own configuration, and the next is measured.
constexpr Fault kFaults[] = {
    {"prepare", "die", Outcome::faulted, "the evaluator died in 'prepare': exit status 7"},
    {"check", "die", Outcome::faulted, "died in 'check'"},
    {"measure", "crash", Outcome::faulted, "died in 'measure': signal 11"},
    {"prepare", "hang", Outcome::timed_out, "no answer to 'load' within 2 s"},
    {"measure", "hang", Outcome::timed_out, "no answer to 'sample' within 2 s"},
    {"check", "close", Outcome::faulted, "closed its answers in 'check'"},
    {"prepare", "print", Outcome::measured, ""},
    {"measure", "print", Outcome::measured, ""},
    {"measure", "flood_log", Outcome::measured, ""},
    {"prepare", "twice", Outcome::measured, ""},
    {"measure", "twice", Outcome::measured, ""},
    {"check", "flood", Outcome::faulted, "it answers much that it was not asked"},
    {"check", "huge", Outcome::faulted, "a line is longer than 1 MiB"},
    {"check", "deep", Outcome::faulted, "it is not a JSON object on one line: [[["},
    {"prepare", "text", Outcome::faulted, "it is not a JSON object on one line: hello"},
    {"prepare", "bytes", Outcome::faulted, "it is not a JSON object on one line: \\xff"},
    {"check", "list", Outcome::faulted, "it is not a JSON object"},
    {"check", "no_id", Outcome::faulted, "'id' is missing"},
    {"check", "later_id", Outcome::faulted, "'id' is of a request that was never sent"},
    {"check", "huge_id", Outcome::faulted, "'id' "},
    {"check", "nothing", Outcome::faulted, "neither 'ok' nor 'error'"},
    {"check", "kind", Outcome::faulted, "the kind 'odd' of an error is none of compile"},
    {"prepare", "compile", Outcome::launch_failed, "this is compile\nsaid before the error"},
    {"prepare", "resources", Outcome::faulted, "'registers'"},
    {"check", "launch", Outcome::launch_failed, "this is launch\nsaid before"},
    {"measure", "broken", Outcome::faulted, "this is broken"},
    {"check", "wrong", Outcome::wrong_answer, "y[3] is 7, not 8"},
    {"check", "unchecked", Outcome::faulted, "'checked', the number of elements"},
    {"check", "perhaps", Outcome::faulted, "'correct' is missing or neither"},
    {"measure", "nan", Outcome::faulted, "it is not a JSON object"},
    {"measure", "negative", Outcome::faulted, "'samples_us' is -1, not a time"},
    {"measure", "zero", Outcome::faulted, "'samples_us' is 0, not a time"},
    {"measure", "few", Outcome::faulted, "'times_us' has 1 times; 5 to 20 were asked for"},
    {"measure", "many", Outcome::faulted, "'times_us' has 2000 times"},
    {"measure", "words", Outcome::faulted, "'times_us'"},
};

TEST(EvaluatorProcess, EachFaultCostsItsOwnConfiguration) {
  const std::vector<std::string> command = {"python3", kFakeEvaluator};
  const auto usual = client_of(command, kPatient);
  const auto impatient = client_of(command, kImpatient);
  for (const Fault& fault : kFaults) {
    const auto& client = fault.outcome == Outcome::timed_out ? impatient : usual;
    client->open(plan());
    const std::string json = std::string(R"({"FAULT":")") + fault.name + R"(","STEP":")" +
                             fault.step + R"(","TILE":16})";
    const Failure became = run_all(*client, json);
    EXPECT_EQ(became.outcome, fault.outcome) << fault.name << ": " << became.message;
    EXPECT_NE(became.message.find(fault.message), std::string::npos)
        << fault.name << ": " << became.message;
    EXPECT_LT(became.message.size(), 5000U) << fault.name;
    EXPECT_EQ(run_all(*client, R"({"TILE":32})").outcome, Outcome::measured)
        << "after " << fault.name << ": " << run_all(*client, R"({"TILE":32})").message;
  }
}

TEST(EvaluatorProcess, AProcessThatDoesNotBeginEndsTheSweepWithASentence) {
  const std::pair<const char*, const char*> kinds[] = {
      {"die", "does not begin: the evaluator died in 'hello': exit status 7"},
      {"version", "answers hello without \"protocol\": 1, the version that it must speak"},
      {"text", "does not begin: the evaluator's answer to 'hello': it is not a JSON object"},
      {"launch", "does not begin: this is launch"},
      {"hang", "no answer to 'open' within 2 s"}};
  for (const auto& [fault, message] : kinds) {
    const auto client = client_of({"python3", kFakeEvaluator, fault}, kPatient,
                                  std::string(fault) == "hang" ? kImpatient : kPatient);
    try {
      client->open(plan());
      ADD_FAILURE() << fault;
    } catch (const DeviceLost& lost) {
      EXPECT_NE(std::string(lost.what()).find(message), std::string::npos) << lost.what();
    }
  }
}

TEST(EvaluatorProcess, AProgramThatIsMissingIsNamed) {
  const auto client = client_of({"no-such-program-of-tilewright"}, kPatient);
  try {
    client->open(plan());
    ADD_FAILURE();
  } catch (const DeviceLost& lost) {
    EXPECT_NE(std::string(lost.what()).find("no-such-program-of-tilewright"), std::string::npos);
    EXPECT_NE(std::string(lost.what()).find("exit status 127"), std::string::npos) << lost.what();
  }
}

// One in sh. What it started is in the group that a time-out ends.
TEST(EvaluatorProcess, TakesWhatItStartedWithIt) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "pid";
  const auto client = client_of(
      {"sh", "-c",
       "read line <&3; echo '{\"id\":1,\"ok\":{\"protocol\":1}}' >&4; sleep 1000 & echo $! > " +
           file.string() + "; wait"},
      kImpatient);
  client->open(plan());
  pid_t started = 0;
  ASSERT_TRUE(becomes_true([&] { return static_cast<bool>(std::ifstream(file) >> started); }));
  ASSERT_TRUE(is_alive(started));
  EXPECT_EQ(client->load(configuration("{}")).failure().outcome, Outcome::timed_out);
  EXPECT_TRUE(becomes_true([&] { return !is_alive(started); }));
}

}  // namespace
}  // namespace tilewright
