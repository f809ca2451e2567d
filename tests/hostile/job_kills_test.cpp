// A job that four processes share, as on four machines: each has its own home, locks and local
// disk. Two of them have two devices. They are killed at random, interrupted, started again in
// their old place or in a new one. What is merged in the end is what one undisturbed run gives.
// TILEWRIGHT_TEST_KILLS says how many kills (10), TILEWRIGHT_TEST_SEED repeats a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>
#include <random>
#include <thread>

#include "tests/cli/run_program.hpp"
#include "tests/hostile/clock_answer.hpp"
#include "tests/hostile/running_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int kProcesses = 4;
constexpr std::size_t kUnits = 6;
std::string clock_manifest() {
  return TILEWRIGHT_SOURCE_DIR "/tests/hostile/clock.toml";
}

void write_shapes(const fs::path& file) {
  std::string lines;
  for (std::size_t i = 0; i < kUnits; ++i) lines += fmt::format("count={}\n", 1000 + i);
  write_text(file, lines);
}

void run_to_its_end(const fs::path& home, const std::vector<std::string>& words) {
  RunningProgram program(home, words);
  ASSERT_EQ(program.wait(kFarTooLong), 0) << content_of(home / "err");
}

// A folder that all processes reach.
class SharedJob {
 public:
  SharedJob() {
    write_shapes(shared_ / "shapes.txt");
    run_to_its_end(shared_.path(), {TILEWRIGHT_ON_CLOCK, "job", "create", folder().string(),
                                    clock_manifest(), "--shapes", (shared_ / "shapes.txt").string(),
                                    "--budget", "all", "--lease", "1s"});
  }
  fs::path folder() const { return shared_ / "job"; }
  std::size_t files_in(const std::string& part) const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder() / part), fs::directory_iterator()));
  }
  bool is_done() const { return files_in("done") == kUnits; }
  std::map<std::string, ClockAnswer> merged() const {
    const fs::path database = shared_ / "best.db";
    for (int i = 0; i < 2; ++i)  // twice, without harm
      run_to_its_end(shared_.path(), {TILEWRIGHT_ON_CLOCK, "job", "merge", folder().string(),
                                      "--into", database.string()});
    return clock_answers(database);
  }

 private:
  TemporaryFolder shared_;
};

// One machine, on which at most one process runs.
struct Machine {
  std::string devices;
  std::unique_ptr<TemporaryFolder> home = std::make_unique<TemporaryFolder>();
  std::unique_ptr<RunningProgram> program = nullptr;

  void start(const SharedJob& job) {
    program = std::make_unique<RunningProgram>(
        home->path(),
        std::vector<std::string>{TILEWRIGHT_ON_CLOCK, "job", "run", job.folder().string(),
                                 "--device", devices, "--jobs", "1", "--quiet"});
  }
};

struct JobTally {
  std::size_t kills = 0;
  std::size_t interrupts = 0;
  std::size_t lost_machines = 0;
  std::size_t starts = 0;
  std::size_t jobs = 0;
};

class Disturber {
 public:
  // Between two kills at most `pause` goes by.
  Disturber(std::uint64_t seed, std::size_t kills, milliseconds pause)
      : random_(seed), most_(kills), pause_(pause) {}

  // Until the job is done.
  void run(const SharedJob& job) {
    std::array<Machine, kProcesses> machines = {{{"host"}, {"host:0,1"}, {"host"}, {"host:0,1"}}};
    const auto deadline = std::chrono::steady_clock::now() + kFarTooLong;
    while (!job.is_done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "it hangs";
      for (Machine& machine : machines) {
        if (!is_running(machine)) {
          machine.start(job);
          ++tally_.starts;
        }
        if (::testing::Test::HasFailure()) return;
      }
      if (tally_.kills < most_) disturb(machines[random_() % kProcesses]);
    }
    for (Machine& machine : machines)
      if (machine.program) expect_good_end(machine, machine.program->wait(kFarTooLong));
    ++tally_.jobs;
  }

  const JobTally& tally() const { return tally_; }

 private:
  // Also checks how it ended.
  bool is_running(Machine& machine) {
    if (!machine.program) return false;
    const std::optional<int> status = machine.program->wait(milliseconds(5));
    if (!status) return true;
    expect_good_end(machine, status);
    machine.program.reset();
    return false;
  }

  static void expect_good_end(const Machine& machine, std::optional<int> status) {
    EXPECT_TRUE(status == 0 || status == 130 || status == 128 + SIGTERM)
        << (status ? std::to_string(*status) : "it hangs") << '\n'
        << content_of(machine.home->path() / "err");
  }

  void disturb(Machine& machine) {
    std::this_thread::sleep_for(pause_ * (random_() % 1000) / 1000);
    if (!machine.program) return;
    if (random_() % 4 == 0) {
      machine.program->kill(SIGTERM);
      ++tally_.interrupts;
      return;
    }
    machine.program.reset();  // SIGKILL
    ++tally_.kills;
    if (random_() % 3 != 0) return;
    machine.home = std::make_unique<TemporaryFolder>();
    ++tally_.lost_machines;
  }

  std::mt19937_64 random_;
  std::size_t most_;
  milliseconds pause_;
  JobTally tally_;
};

std::map<std::string, ClockAnswer> run_alone() {
  const TemporaryFolder home;
  write_shapes(home / "shapes.txt");
  run_to_its_end(home.path(), {TILEWRIGHT_ON_CLOCK, "sweep", clock_manifest(), "--shapes",
                               (home / "shapes.txt").string(), "--device", "host", "--db",
                               (home / "alone.db").string(), "--budget", "all"});
  return clock_answers(home / "alone.db");
}

TEST(JobKills, LoseNothingAndChangeNothing) {
  const std::uint64_t seed = number_from("TILEWRIGHT_TEST_SEED", std::random_device{}());
  const std::uint64_t kills = number_from("TILEWRIGHT_TEST_KILLS", 10);
  std::cout << "seed " << seed << std::endl;
  const auto start = std::chrono::steady_clock::now();
  const std::map<std::string, ClockAnswer> alone = run_alone();
  const auto took =
      std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  ASSERT_EQ(alone.size(), kUnits);
  for (const auto& [problem, answer] : alone) expect_same(answer, answer);

  Disturber disturber(seed, kills, took / kUnits);  // so that each gets on with a unit or two
  while (disturber.tally().kills < kills && !HasFailure()) {
    const SharedJob job;
    disturber.run(job);
    if (HasFailure()) break;
    EXPECT_EQ(job.files_in("results"), kUnits);
    EXPECT_EQ(job.files_in("todo") + job.files_in("taken"), 0U);
    const std::map<std::string, ClockAnswer> merged = job.merged();
    ASSERT_EQ(merged.size(), kUnits);
    for (const auto& [problem, answer] : merged) expect_same(answer, alone.at(problem));
  }
  const JobTally& tally = disturber.tally();
  std::cout << fmt::format(
                   "{} kills ({} of them took the machine with it) and {} interrupts in {} starts "
                   "for {} jobs of {} problems, which take {} ms alone\n",
                   tally.kills, tally.lost_machines, tally.interrupts, tally.starts, tally.jobs,
                   kUnits, took.count())
            << std::flush;
}

}  // namespace
}  // namespace tilewright::test
