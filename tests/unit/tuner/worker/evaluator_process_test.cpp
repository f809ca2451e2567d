#include "tuner/worker/evaluator_process.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.hpp"
#include "tests/support/evaluator_client.hpp"
#include "tilewright/error.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

constexpr const char* kFakeEvaluator = TILEWRIGHT_SOURCE_DIR "/tests/support/fake_evaluator.py";

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
    {"check", "stop", Outcome::timed_out, "no answer to 'verify' within 2 s"},
    {"prepare", "slow", Outcome::measured, ""},
    {"measure", "half", Outcome::faulted, "died in 'measure': exit status 0"},
    {"check", "earlier_id", Outcome::measured, ""},
    {"check", "text_id", Outcome::faulted, "'id' is missing or not an integer"},
    {"prepare", "null", Outcome::faulted, "'ok' is not an object"},
    {"measure", "error_text", Outcome::faulted, "'error' is not an object with a 'kind'"},
    {"measure", "calls", Outcome::faulted, "'calls'"},
    {"prepare", "code", Outcome::faulted, "'code'"},
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
    client->open(evaluators_plan());
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
      client->open(evaluators_plan());
      ADD_FAILURE() << fault;
    } catch (const DeviceLost& lost) {
      EXPECT_NE(std::string(lost.what()).find(message), std::string::npos) << lost.what();
    }
  }
}

TEST(EvaluatorProcess, AProgramThatIsMissingIsNamed) {
  const auto client = client_of({"no-such-program-of-tilewright"}, kPatient);
  try {
    client->open(evaluators_plan());
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
  client->open(evaluators_plan());
  pid_t started = 0;
  ASSERT_TRUE(becomes_true([&] { return static_cast<bool>(std::ifstream(file) >> started); }));
  ASSERT_TRUE(is_alive(started));
  EXPECT_EQ(client->load(configuration("{}")).failure().outcome, Outcome::timed_out);
  EXPECT_TRUE(becomes_true([&] { return !is_alive(started); }));
}

}  // namespace
}  // namespace tilewright
