#include "tuner/worker/command_evaluator.hpp"

#include <gtest/gtest.h>

#include "definition/command.hpp"
#include "tests/support/evaluator_client.hpp"

namespace tilewright {
namespace {

struct Case {
  const char* script;  // for sh; {TILE} is 16
  Outcome outcome;
  const char* message;
};

constexpr Case kCases[] = {
    {"echo took 3 ms; echo PASSED", Outcome::measured, ""},
    {"echo 'warm up'; for i in 1 2 3; do echo took {TILE}.$i ms; done; echo PASSED",
     Outcome::measured, ""},
    {"[ {TILE}{device}{n} = 16064 ] && echo took 1 ms PASSED", Outcome::measured, ""},
    {"echo took 3 ms", Outcome::wrong_answer, "its output lacks 'PASSED'"},
    {"echo PASSED", Outcome::launch_failed, "no line of its output has a time as in 'took {ms}'"},
    {"echo took three ms PASSED", Outcome::launch_failed, "no line of its output"},
    {"echo took 3 ms PASSED; exit 3", Outcome::launch_failed,
     "the command ended with exit status 3"},
    {"echo PASSED; echo too large >&2; exit 1", Outcome::launch_failed, "too large"},
    {"echo PASSED took 1 ms; kill -SEGV $$", Outcome::launch_failed, "signal 11"},
    {"/no/such/program", Outcome::launch_failed, "exit status 127"},
    {"echo took 1,234.5 ms PASSED", Outcome::faulted,
     "'took 1,234.5 ms PASSED': the number may go"},
    {"echo took -3 ms PASSED", Outcome::faulted, "not a time"},
    {"echo took 0 ms PASSED", Outcome::faulted, "not a time"},
    {"echo took 1e300 ms PASSED", Outcome::faulted, "not a time"},
    {"yes | head -c 20000000; echo; echo took 1 ms PASSED", Outcome::measured, ""},
    {"head -c 20000000 /dev/zero | tr '\\0' x; echo; echo took 1 ms PASSED", Outcome::measured, ""},
    {"head -c 1000 /dev/urandom; echo; echo took 1 ms PASSED", Outcome::measured, ""},
    {"yes", Outcome::timed_out, "within 2 s"},
    {"echo took 3 ms PASSED; sleep 1000", Outcome::timed_out, "within 2 s"},
    {"exec >&-; exec 2>&-; sleep 1000", Outcome::timed_out, "within 2 s"},
    {"(echo '{\"id\":3,\"ok\":{}}' >&4) 2>/dev/null; echo took 1 ms PASSED", Outcome::measured, ""},
};

TEST(CommandEvaluator, EachFaultOfAProgramCostsItsOwnConfiguration) {
  for (const Case& one : kCases) {
    const auto client = client_of(evaluator_of({{"sh", "-c", one.script}, "took {ms}", "PASSED"}),
                                  one.outcome == Outcome::timed_out ? kImpatient : kPatient);
    client->open(evaluators_plan());
    const Failure became = run_all(*client, R"({"TILE":16})");
    EXPECT_EQ(became.outcome, one.outcome) << one.script << ": " << became.message;
    EXPECT_NE(became.message.find(one.message), std::string::npos)
        << one.script << ": " << became.message;
    EXPECT_LT(became.message.size(), 5000U) << one.script;
  }
}

Timing timing_of(const Command& command, const SampleRequest& request) {
  const auto client = client_of(evaluator_of(command), kPatient);
  client->open(evaluators_plan());
  EXPECT_TRUE(client->load(configuration("{}")).ok());
  EXPECT_TRUE(client->verify().ok());
  const auto timed = client->sample(request);
  EXPECT_TRUE(timed.ok()) << timed.failure().message;
  return timed.value();
}

TEST(CommandEvaluator, TakesAllTimesOfARun) {
  const Timing timing =
      timing_of({{"sh", "-c", "for i in 1 2 3 4 5 6; do echo took $i us; done"}, "took {us}"},
                {.minimum_samples = 7, .maximum_samples = 8});
  EXPECT_EQ(timing.samples_us, std::vector<double>({1, 2, 3, 4, 5, 6, 1, 2}));
}

TEST(CommandEvaluator, OfALongRunTwoTimesAreEnough) {
  const Command command{{"sh", "-c", "echo 2.5e1"}, "{s}"};
  EXPECT_EQ(timing_of(command, {}).samples_us, std::vector<double>(2, 25e6));
  const SampleRequest exact{.minimum_samples = 3, .maximum_samples = 3};
  EXPECT_EQ(timing_of(command, exact).samples_us.size(), 3U);
}

TEST(CommandEvaluator, WithoutAPatternTheRunIsTimed) {
  const Timing timing = timing_of({{"sleep", "0.05"}}, {});
  EXPECT_GE(timing.median_us, 50e3);
  EXPECT_LT(timing.median_us, 30e6);
}

}  // namespace
}  // namespace tilewright
