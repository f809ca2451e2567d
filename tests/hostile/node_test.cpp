// Several devices of one machine under one process. The devices are slots of the host, and the
// worker has a fake clock. Whatever happens to workers and devices, the answers are those of one
// undisturbed device.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "db/store/store.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/hostile/clock_answer.hpp"
#include "tests/hostile/running_program.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t kProblems = 3;
constexpr milliseconds kFarTooLong{120'000};
constexpr int kInterrupted = 130;
constexpr const char* kManifest = TILEWRIGHT_SOURCE_DIR "/tests/hostile/clock.toml";

class Node {
 public:
  std::vector<std::string> command(const std::string& devices, std::size_t problems = kProblems,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {TILEWRIGHT_ON_CLOCK,
                                      "sweep",
                                      kManifest,
                                      "--shapes",
                                      shapes(problems),
                                      "--db",
                                      database(),
                                      "--jobs",
                                      "2",
                                      "--budget",
                                      "all",
                                      "--device",
                                      devices};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // A job with the same problems, and how one process takes part in it.
  std::vector<std::string> plan() const {
    return {TILEWRIGHT_ON_CLOCK, "plan", kManifest, "--shapes", shapes(kProblems), "--job", job(),
            "--budget",          "all"};
  }
  std::vector<std::string> job_command(const std::string& devices,
                                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {TILEWRIGHT_ON_CLOCK, "sweep",  "--job", job(),      "--local",
                                      home_ / "local",     "--jobs", "2",     "--device", devices};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::string> merge() const {
    return {TILEWRIGHT_ON_CLOCK, "merge", job(), "--into", database()};
  }
  fs::path job() const { return home_ / "job"; }

  std::unique_ptr<RunningProgram> start(const std::vector<std::string>& words) const {
    return std::make_unique<RunningProgram>(home_.path(), words);
  }
  int run(const std::vector<std::string>& words) const {
    return start(words)->wait(kFarTooLong).value_or(-1);
  }
  void lose(int device) const { write_text(home_ / fmt::format("lost-{}", device), ""); }
  std::map<std::string, ClockAnswer> answers() const { return clock_answers(database()); }
  fs::path shapes(std::size_t problems) const {
    std::string lines;
    for (std::size_t i = 0; i < problems; ++i) lines += fmt::format("count={}\n", 1000 + i);
    write_text(home_ / "shapes.txt", lines);
    return home_ / "shapes.txt";
  }
  fs::path database() const { return home_ / "node.db"; }
  fs::path lock(const std::string& device) const { return home_ / "locks" / device; }
  std::string messages() const { return content_of(home_ / "err"); }
  std::string output() const { return content_of(home_ / "out"); }
  // Trials that are committed by now, as far as the file can be read while others write it.
  std::size_t rows() const {
    std::size_t sum = 0;
    try {
      const Store store(database(), Store::Mode::read_only);
      for (const SweepRecord& sweep : store.sweeps({})) sum += store.trials(sweep.id).size();
    } catch (const MachineError&) {
      // It is not there yet.
    }
    return sum;
  }

 private:
  TemporaryFolder home_;
};

const std::map<std::string, ClockAnswer>& undisturbed() {
  static const std::map<std::string, ClockAnswer> answers = [] {
    const Node node;
    EXPECT_EQ(node.run(node.command("host")), 0) << node.messages();
    return node.answers();
  }();
  return answers;
}

void expect_same_answers(const Node& node, std::size_t problems = kProblems) {
  const auto answers = node.answers();
  EXPECT_EQ(answers.size(), problems);
  for (const auto& [problem, answer] : answers) {
    SCOPED_TRACE(problem + '\n' + node.messages());
    expect_same(answer, undisturbed().at(problem));
  }
}

bool says(const Node& node, const std::string& text) {
  return node.messages().find(text) != std::string::npos;
}

// Waits until some trials are stored.
void wait_for_rows(const Node& node, std::size_t rows) {
  const auto deadline = std::chrono::steady_clock::now() + kFarTooLong;
  while (node.rows() < rows) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << node.messages();
    std::this_thread::sleep_for(milliseconds(5));
  }
}

TEST(Node, SeveralDevicesGiveTheAnswersOfOne) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host:0,1,2")), 0) << node.messages();
  expect_same_answers(node);
  for (const char* device : {"[host:0] ", "[host:1] ", "[host:2] "})
    EXPECT_TRUE(says(node, device)) << node.messages();
}

std::int64_t count_of(const SweepRecord& sweep) {
  return std::get<std::int64_t>(sweep.key.problem.values.at("count"));
}

// The file names the smallest problem first.
TEST(Node, WhatTakesLongestIsBegunFirst) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host:0,1", kProblems, {"--json"})), 0) << node.messages();
  const auto sweeps = Store(node.database(), Store::Mode::read_only).sweeps({});
  const auto begun_last = std::ranges::max_element(sweeps, {}, &SweepRecord::id);
  ASSERT_EQ(sweeps.size(), kProblems);
  EXPECT_EQ(count_of(*begun_last), 1000) << node.messages();
  std::vector<std::int64_t> printed;
  const auto json = nlohmann::json::parse(node.output());
  for (const auto& answer : json.at("problems"))
    printed.push_back(answer.at("problem").at("count").get<std::int64_t>());
  EXPECT_EQ(printed, (std::vector<std::int64_t>{1000, 1001, 1002}));
}

TEST(Node, OneProblemIsDivided) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host:0,1", 1)), 0) << node.messages();
  expect_same_answers(node, 1);
  EXPECT_TRUE(says(node, "[host:0+1] ")) << node.messages();
}

TEST(Node, ADeadWorkerCostsNothing) {
  for (const std::size_t problems : {std::size_t{1}, kProblems}) {
    const Node node;
    const auto program = node.start(node.command("host:0,1", problems));
    for (std::size_t rows = 10; rows <= 90; rows += 40) {
      wait_for_rows(node, rows);
      for (const pid_t worker : program->workers("device")) kill(worker, SIGKILL);
    }
    ASSERT_EQ(program->wait(kFarTooLong), 0) << node.messages();
    expect_same_answers(node, problems);
  }
}

// A configuration that runs when its device is lost has an outcome of its own then.
void expect_complete(const Node& node, std::size_t problems) {
  const auto answers = node.answers();
  EXPECT_EQ(answers.size(), problems);
  for (const auto& [problem, answer] : answers) {
    SCOPED_TRACE(problem + '\n' + node.messages());
    EXPECT_EQ(answer.sweeps, 1U);
    EXPECT_TRUE(answer.is_finished);
    EXPECT_EQ(answer.rows, answer.distinct_rows);
    EXPECT_EQ(answer.configurations, undisturbed().at(problem).configurations);
    EXPECT_FALSE(answer.winner.empty());
  }
}

TEST(Node, WorkOfALostDeviceMovesToTheOthers) {
  for (const std::size_t problems : {std::size_t{1}, kProblems}) {
    const Node node;
    const auto program = node.start(node.command("host:0,1,2", problems, {"--fresh"}));
    wait_for_rows(node, 20);
    node.lose(1);
    ASSERT_EQ(program->wait(kFarTooLong), 0) << node.messages();
    expect_complete(node, problems);
    EXPECT_TRUE(says(node, "host:1 is lost: the GPU has fallen off the bus")) << node.messages();
  }
}

TEST(Node, WithoutAnyDeviceTrialsAreKeptAndTheSameCommandGoesOn) {
  const Node node;
  for (const int device : {0, 1}) node.lose(device);
  EXPECT_EQ(node.run(node.command("host:0,1")), 3) << node.messages();
  EXPECT_TRUE(says(node, "the GPU has fallen off the bus")) << node.messages();
  ASSERT_EQ(node.run(node.command("host:2,3")), 0) << node.messages();
  expect_same_answers(node);
}

TEST(Node, AnInterruptKeepsTheTrialsOfAllDevices) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Node node;
    const auto program = node.start(node.command("host:0,1"));
    wait_for_rows(node, 30);
    program->kill(signal);
    EXPECT_EQ(program->wait(kFarTooLong), kInterrupted) << node.messages();
    EXPECT_GE(node.rows(), 30U);
    ASSERT_EQ(node.run(node.command("host:0,1")), 0) << node.messages();
    EXPECT_TRUE(says(node, "continuing an interrupted sweep: ")) << node.messages();
    expect_same_answers(node);
  }
}

// What another program does that measures on the device.
class HeldLock {
 public:
  explicit HeldLock(const fs::path& lock) {
    fs::create_directories(lock.parent_path());
    file_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(flock(file_, LOCK_EX | LOCK_NB), 0);
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock() { close(file_); }

 private:
  int file_ = -1;
};

TEST(Node, ADeviceOfSomebodyElseIsLeftToThem) {
  for (const bool waits : {true, false}) {
    const Node node;
    const HeldLock held(node.lock("host:1"));
    const std::vector<std::string> more =
        waits ? std::vector<std::string>{} : std::vector<std::string>{"--no-wait"};
    ASSERT_EQ(node.run(node.command("host:0,1", kProblems, more)), 0) << node.messages();
    expect_same_answers(node);
    EXPECT_TRUE(says(node, "host:1 is measured by ")) << node.messages();
    EXPECT_FALSE(says(node, "[host:1] ")) << node.messages();
  }
}

TEST(Node, ADividedProblemDoesWithoutADeviceOfSomebodyElse) {
  const Node node;
  const HeldLock held(node.lock("host:1"));
  ASSERT_EQ(node.run(node.command("host:0,1", 1)), 0) << node.messages();
  expect_same_answers(node, 1);
  EXPECT_TRUE(says(node, "it is left out")) << node.messages();
}

TEST(Node, IfAllAreOthersNoWaitIsAnError) {
  const Node node;
  const HeldLock first(node.lock("host:0"));
  const HeldLock second(node.lock("host:1"));
  EXPECT_EQ(node.run(node.command("host:0,1", kProblems, {"--no-wait"})), 3);
  EXPECT_TRUE(says(node, "is measured by ")) << node.messages();
}

TEST(Node, MeasuresWhatApplicationsWantedUntilTheTimeLimit) {
  const Node node;
  ASSERT_EQ(node.run(node.command("host", 1)), 0) << node.messages();
  const auto sweep_wanted = [&](std::int64_t first, std::int64_t last, const char* limit) {
    {
      Store store(node.database());
      const SweepKey key = store.sweeps({}).front().key;
      std::vector<Wanted> wanted;
      for (std::int64_t count = first; count <= last; ++count) {
        wanted.push_back({{key.problem, key.device, key.policy}, 3});
        wanted.back().subject.problem.values["count"] = count;
      }
      store.add_wanted(wanted);
    }
    std::vector<std::string> words = node.command("host:0,1", kProblems, {"--time-limit", limit});
    const auto shapes = std::ranges::find(words, "--shapes");
    *shapes = "--wanted";
    words.erase(shapes + 1);
    return node.run(words);
  };
  EXPECT_EQ(sweep_wanted(1001, 1002, "5m"), 0) << node.messages();
  EXPECT_FALSE(says(node, "for another time")) << node.messages();
  expect_same_answers(node);
  EXPECT_EQ(sweep_wanted(2001, 2100, "1s"), 0) << node.messages();  // nobody sweeps so many in that
  EXPECT_TRUE(says(node, "for another time")) << node.messages();
}

// A node that takes part in a job with several devices.
class NodeInAJob : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(node_.run(node_.plan()), 0) << node_.messages(); }
  std::size_t units(const std::string& part) const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(node_.job() / part), fs::directory_iterator()));
  }
  void wait_until(const std::function<bool()>& is_so) const {
    const auto deadline = std::chrono::steady_clock::now() + kFarTooLong;
    while (!is_so()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << node_.messages();
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  // Also that nobody is left who takes part.
  void expect_done() const {
    EXPECT_EQ(units("done"), kProblems) << node_.messages();
    EXPECT_EQ(units("results"), kProblems);
    EXPECT_EQ(units("alive"), 0U);
    ASSERT_EQ(node_.run(node_.merge()), 0) << node_.messages();
  }

  const Node node_;
};

TEST_F(NodeInAJob, EachDeviceTakesTheNextUnitWhenItIsFree) {
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
  for (const char* line : {"[host:0] [", "[host:1] [", "of 3 finished] clock"})
    EXPECT_TRUE(says(node_, line)) << node_.messages();
}

TEST_F(NodeInAJob, AUnitOfALostDeviceMovesToTheOthers) {
  const auto program = node_.start(node_.job_command("host:0,1,2"));
  wait_until([&] { return says(node_, "[host:1] ["); });
  node_.lose(1);
  ASSERT_EQ(program->wait(kFarTooLong), 0) << node_.messages();
  expect_done();
  expect_complete(node_, kProblems);
}

TEST_F(NodeInAJob, WithoutAnyDeviceTheUnitsAreGivenBack) {
  for (const int device : {0, 1}) node_.lose(device);
  EXPECT_EQ(node_.run(node_.job_command("host:0,1")), 3) << node_.messages();
  EXPECT_TRUE(says(node_, "the GPU has fallen off the bus")) << node_.messages();
  EXPECT_EQ(units("todo"), kProblems);
  ASSERT_EQ(node_.run(node_.job_command("host:2,3")), 0) << node_.messages();
  expect_done();
  expect_complete(node_, kProblems);
}

TEST_F(NodeInAJob, AnInterruptGivesTheUnitsOfAllDevicesBackWithTheirTrials) {
  const auto program = node_.start(node_.job_command("host:0,1"));
  wait_until([&] { return units("taken") == 2; });
  program->kill(SIGTERM);
  EXPECT_EQ(program->wait(kFarTooLong), kInterrupted) << node_.messages();
  EXPECT_EQ(units("taken"), 0U);
  EXPECT_EQ(units("alive"), 0U);
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
}

// Within the lease of two minutes nobody else takes them.
TEST_F(NodeInAJob, AfterAKillTheSameCommandGoesOnWithTheUnitsOfAllDevices) {
  {
    const auto program = node_.start(node_.job_command("host:0,1"));
    wait_until([&] { return units("taken") == 2; });
  }
  EXPECT_EQ(units("taken"), 2U);
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
}

TEST_F(NodeInAJob, ADeviceOfSomebodyElseIsLeftToThem) {
  const HeldLock held(node_.lock("host:1"));
  ASSERT_EQ(node_.run(node_.job_command("host:0,1")), 0) << node_.messages();
  expect_done();
  expect_same_answers(node_);
  EXPECT_TRUE(says(node_, "host:1 is measured by ")) << node_.messages();
}

TEST_F(NodeInAJob, IsOfOneKindOfDevice) {
  EXPECT_EQ(node_.run(node_.job_command("host:0,1", {"--each-kind"})), 2);
  EXPECT_TRUE(says(node_, "--each-kind does not go with --job")) << node_.messages();
}

TEST(Node, RefusesWhatItCannotRead) {
  const Node node;
  const auto refusal = [&](const std::string& devices, const std::vector<std::string>& more = {}) {
    EXPECT_EQ(node.run(node.command(devices, kProblems, more)), 2) << devices;
    return node.messages();
  };
  EXPECT_NE(refusal("host:0,0").find("host:0 is named twice"), std::string::npos);
  EXPECT_NE(refusal("host:x").find("give host or cuda:N"), std::string::npos);
  EXPECT_NE(refusal("host:0,").find("device ''"), std::string::npos);
  EXPECT_NE(refusal("host", {"--busy", "never"}).find("give again, mark or refuse"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(node.database()));
}

}  // namespace
}  // namespace tilewright::test
