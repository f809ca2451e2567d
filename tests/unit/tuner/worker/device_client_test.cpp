#include "tuner/worker/device_client.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

#include "temporary_folder.hpp"
#include "tilewright/error.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

using std::chrono::milliseconds;

DeviceClientOptions fake_device() {
  DeviceClientOptions options;
  options.worker = TILEWRIGHT_FAKE_WORKER;
  return options;
}

SessionPlan plan_with(int device_index, std::uint64_t seed) {
  SessionPlan plan;
  plan.device_index = device_index;
  plan.seed = seed;
  return plan;
}

// A kernel whose steps behave as given; the others answer.
KernelPlan kernel(std::map<std::string, std::string> behaviours = {}) {
  KernelPlan plan;
  plan.symbols = std::move(behaviours);
  plan.code = {1, 2, 3};
  return plan;
}

// Until a step fails.
Failure run_all(Evaluator& client, const KernelPlan& plan) {
  const auto loaded = client.load(plan);
  if (!loaded.ok()) return loaded.failure();
  const auto verified = client.verify();
  if (!verified.ok()) return verified.failure();
  const auto timed = client.sample({});
  return timed.ok() ? Failure{Outcome::measured, ""} : timed.failure();
}

TEST(DeviceClient, PassesEveryStepOn) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  const auto resources = client.load(kernel());
  ASSERT_TRUE(resources.ok());
  EXPECT_EQ(resources.value().shared_bytes, 5);
  const auto verification = client.verify();
  ASSERT_TRUE(verification.ok());
  EXPECT_EQ(verification.value().seed, 5U);
  EXPECT_EQ(verification.value().outputs_total, 3);
  SampleRequest request;
  request.minimum_samples = 3;
  const auto timing = client.sample(request);
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(timing.value().samples_us, std::vector<double>({2.5, 2.5, 2.5}));
  EXPECT_EQ(client.restarts(), 0);
}

TEST(DeviceClient, KeepsItsWorkerAfterAnOrdinaryFailure) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  const auto first = client.load(kernel({{"verify", "fail"}}));
  const auto verification = client.verify();
  ASSERT_FALSE(verification.ok());
  EXPECT_EQ(verification.failure().outcome, Outcome::wrong_answer);
  EXPECT_EQ(verification.failure().message, "verify went wrong");
  EXPECT_TRUE(client.sample({}).ok());
  EXPECT_EQ(client.load(kernel()).value(), first.value());  // the same process id
  EXPECT_EQ(client.restarts(), 0);
}

TEST(DeviceClient, ReplaysOpenAfterADeath) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  client.open(plan_with(0, 6));  // the last one counts
  const auto first = client.load(kernel({{"verify", "exit 9"}}));
  const auto verification = client.verify();
  ASSERT_FALSE(verification.ok());
  EXPECT_EQ(verification.failure().outcome, Outcome::faulted);
  EXPECT_EQ(verification.failure().message, "the device process died in 'verify': exit status 9");
  const auto second = client.load(kernel());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second.value().shared_bytes, 6);
  EXPECT_NE(second.value().registers, first.value().registers);  // another process id
  EXPECT_EQ(client.restarts(), 1);
}

TEST(DeviceClient, DropsAWorkerThatReportsAFault) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  const auto first = client.load(kernel({{"sample", "fault"}}));
  const auto timing = client.sample({});
  ASSERT_FALSE(timing.ok());
  EXPECT_EQ(timing.failure().outcome, Outcome::faulted);
  EXPECT_EQ(timing.failure().message, "sample faulted");
  EXPECT_NE(client.load(kernel()).value().registers, first.value().registers);
  EXPECT_EQ(client.restarts(), 1);
}

TEST(DeviceClient, KillsAWorkerThatHangsInAnyStep) {
  for (const std::string step : {"load", "verify", "sample"}) {
    SCOPED_TRACE(step);
    DeviceClientOptions options = fake_device();
    (step == "load"     ? options.limits.load
     : step == "verify" ? options.limits.verify
                        : options.limits.sample) = StepLimit::fixed_at(milliseconds(1500));
    const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
    Evaluator& client = *client_owner;
    client.open(plan_with(0, 5));
    const Failure failure = run_all(client, kernel({{step, "hang"}}));
    EXPECT_EQ(failure.outcome, Outcome::timed_out);
    EXPECT_EQ(failure.message, "the device process gave no answer to '" + step + "' within 1.5 s");
    EXPECT_TRUE(client.load(kernel()).ok());
    EXPECT_EQ(client.restarts(), 1);
  }
}

TEST(DeviceClient, AStepOfATrialCanBeSkipped) {
  for (const std::string step : {"load", "verify", "sample"}) {
    SCOPED_TRACE(step);
    Skips skips;
    skips.asked = 3;  // those of before do not count
    DeviceClientOptions options = fake_device();
    options.limits = StepLimits::fixed_at(std::chrono::hours(1));
    options.skips = &skips;
    const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
    Evaluator& client = *client_owner;
    client.open(plan_with(0, 5));
    const KernelPlan hanging = kernel({{step, "hang"}});
    if (step != "load") {
      ASSERT_TRUE(client.load(hanging).ok());
    }
    if (step == "sample") {
      ASSERT_TRUE(client.verify().ok());
    }
    const std::jthread person([&](const std::stop_token& ended) {
      while (!ended.stop_requested()) {  // it may be early
        std::this_thread::sleep_for(milliseconds(100));
        if (skips.running > 0) ++skips.asked;
      }
    });
    const Failure failure = step == "load"     ? client.load(hanging).failure()
                            : step == "verify" ? client.verify().failure()
                                               : client.sample({}).failure();
    EXPECT_EQ(failure.outcome, Outcome::timed_out);
    EXPECT_EQ(failure.message, "skipped by hand in '" + step + "'");
    EXPECT_EQ(skips.running, 0);
  }
}

TEST(DeviceClient, OnceAStepHasSucceededItsLimitFollows) {
  DeviceClientOptions options = fake_device();
  options.limits.verify.start = std::chrono::hours(1);
  options.limits.verify.floor = milliseconds(1500);
  const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  ASSERT_TRUE(client.load(kernel()).ok());
  ASSERT_TRUE(client.verify().ok());
  ASSERT_TRUE(client.load(kernel({{"verify", "hang"}})).ok());
  EXPECT_EQ(client.verify().failure().outcome, Outcome::timed_out);  // within the hour
}

TEST(DeviceClient, TellsADeathFromOutsideFromOneByTheKernel) {
  for (const int number :
       {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    SCOPED_TRACE(number);
    const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
    Evaluator& client = *client_owner;
    client.open(plan_with(0, 5));
    const Failure failure =
        run_all(client, kernel({{"verify", "signal " + std::to_string(number)}}));
    EXPECT_NE(failure.message.find("signal " + std::to_string(number) + " ("), std::string::npos)
        << failure.message;
    const bool from_outside =
        number == SIGKILL || number == SIGTERM || number == SIGHUP || number == SIGINT;
    EXPECT_EQ(failure.outcome, from_outside ? Outcome::machine_failed : Outcome::faulted);
  }
}

TEST(DeviceClient, AWorkerThatIsKilledWhileIdleIsADeathFromOutside) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  const auto loaded = client.load(kernel());
  ASSERT_TRUE(loaded.ok());
  const pid_t id = loaded.value().registers;
  ASSERT_EQ(kill(id, SIGKILL), 0);
  ASSERT_TRUE(becomes_true([&] { return !is_alive(id); }));
  EXPECT_EQ(client.load(kernel()).failure().outcome, Outcome::machine_failed);
  EXPECT_TRUE(client.load(kernel()).ok());
}

TEST(DeviceClient, AWorkerThatIsKilledInOpenIsReplacedOnce) {
  const TemporaryFolder folder;
  SessionPlan plan = plan_with(0, 5);
  plan.problems.resize(1);
  plan.problems[0].problem.operation = "once " + (folder.path() / "died").string() + " 9";
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan);
  EXPECT_TRUE(client.load(kernel()).ok());
  EXPECT_EQ(client.restarts(), 1);
  try {
    client.open(plan_with(95, 5));
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "the device process died in 'open': signal 15 (Terminated)");
  }
}

TEST(DeviceClient, ADeathInOpenNamesTheReferenceKernel) {
  SessionPlan plan = plan_with(0, 5);
  plan.problems.resize(1);
  SessionProblem& problem = plan.problems[0];
  problem.problem = {"exit", {{"rows", std::int64_t{200}}}};
  for (const auto& [name, type] : {std::pair{"row_ptr", ElementType::int32},
                                   {"values", ElementType::float32},
                                   {"col_idx", ElementType::int32},
                                   {"given", ElementType::int32}}) {
    PlannedBuffer& buffer = problem.buffers.emplace_back();
    buffer.name = name;
    buffer.type = type;
    buffer.fill = default_fill(type);
  }
  problem.buffers.back().fill.high = 5;
  const std::string died = "the device process died in 'open': exit status 7";
  const auto message_of = [&] {
    const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
    Evaluator& client = *client_owner;
    try {
      client.open(plan);
    } catch (const MachineError& error) {
      return std::string(error.what());
    }
    return std::string("no exception");
  };
  problem.problem.operation = "exit 7";
  EXPECT_EQ(message_of(), died) << "there is no reference kernel";
  problem.reference.launches.launches.resize(1);
  EXPECT_EQ(message_of(), died +
                              "; it ran the reference kernel of exit 7 for (rows=200); check the "
                              "fills of its integer inputs: row_ptr, col_idx are random from 0 to "
                              "100");
  problem.reference.launches.launches.clear();
  problem.fills.resize(1);
  EXPECT_EQ(message_of(), died + "; it ran the kernel that fills '" + problem.buffers.front().name +
                              "' of exit 7 for (rows=200)");
}

TEST(DeviceClient, AStopLeavesOpen) {
  std::atomic<bool> stop{false};
  DeviceClientOptions options = fake_device();
  options.stop = &stop;
  const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
  Evaluator& client = *client_owner;
  const std::jthread later([&stop] {
    std::this_thread::sleep_for(milliseconds(50));
    stop = true;
  });
  client.open(plan_with(96, 5));  // hangs, and the limit is minutes
  EXPECT_TRUE(stop);
}

TEST(DeviceClient, StrayOutputIsADeath) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  EXPECT_EQ(client.load(kernel({{"load", "garbage"}})).failure().outcome, Outcome::faulted);
  EXPECT_TRUE(client.load(kernel()).ok());
}

TEST(DeviceClient, TheKernelIsLostWithItsWorker) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  ASSERT_TRUE(client.load(kernel({{"verify", "crash"}})).ok());
  EXPECT_EQ(client.verify().failure().outcome, Outcome::faulted);
  EXPECT_EQ(client.verify().failure().outcome, Outcome::launch_failed);
  EXPECT_EQ(client.sample({}).failure().message, "no kernel is loaded");
}

TEST(DeviceClient, AFailedLoadLeavesNoKernel) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  client.open(plan_with(0, 5));
  EXPECT_EQ(client.load(kernel({{"load", "fail"}})).failure().outcome, Outcome::wrong_answer);
  EXPECT_EQ(client.verify().failure().outcome, Outcome::launch_failed);
  EXPECT_EQ(client.restarts(), 0);
}

TEST(DeviceClient, ErrorsOfTheWorkerAreThrownHere) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  EXPECT_THROW(client.open(plan_with(98, 5)), InputError);
  try {
    client.open(plan_with(99, 5));
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "there is no device 99");
  }
  client.open(plan_with(0, 5));
  ASSERT_TRUE(client.load(kernel({{"verify", "broken"}})).ok());
  EXPECT_THROW(client.verify(), MachineError);
}

TEST(DeviceClient, AWorkerThatCannotOpenIsAMachineError) {
  DeviceClientOptions options = fake_device();
  options.limits.open = milliseconds(1500);
  const std::unique_ptr<Evaluator> client_owner = make_device_client(options);
  Evaluator& client = *client_owner;
  EXPECT_THROW(client.open(plan_with(97, 5)), MachineError);  // dies
  EXPECT_THROW(client.open(plan_with(96, 5)), MachineError);  // hangs
}

TEST(DeviceClient, AWorkerThatCannotStartIsAMachineError) {
  DeviceClientOptions options = fake_device();
  options.arguments = {"refuse"};
  const std::unique_ptr<Evaluator> refused_owner = make_device_client(options);
  Evaluator& refused = *refused_owner;
  try {
    refused.open(plan_with(0, 5));
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "this worker refuses");
  }
  options.worker = "/nonexistent/worker";
  const std::unique_ptr<Evaluator> missing_owner = make_device_client(options);
  Evaluator& missing = *missing_owner;
  EXPECT_THROW(missing.open(plan_with(0, 5)), MachineError);
}

TEST(DeviceClient, NeedsToBeOpenedFirst) {
  const std::unique_ptr<Evaluator> client_owner = make_device_client(fake_device());
  Evaluator& client = *client_owner;
  EXPECT_THROW(client.load(kernel()), MachineError);
}

}  // namespace
}  // namespace tilewright
