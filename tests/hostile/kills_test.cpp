// kill -9 at random instants, then the same command again: the outcome is that of a sweep which
// nothing disturbed. The program is the real one, its worker has a fake clock.
// TILEWRIGHT_TEST_KILLS says how many (10), TILEWRIGHT_TEST_SEED repeats a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <random>

#include "tests/cli/run_program.hpp"
#include "tests/hostile/clock_answer.hpp"
#include "tests/hostile/running_program.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Of the database's only sweep.
ClockAnswer read_answer(const std::filesystem::path& file) {
  const std::map<std::string, ClockAnswer> answers = clock_answers(file);
  return answers.empty() ? ClockAnswer{} : answers.begin()->second;
}

// One database, and the command that fills it.
class Sweep {
 public:
  std::unique_ptr<RunningProgram> start() const {
    return std::make_unique<RunningProgram>(
        home_.path(), std::vector<std::string>{TILEWRIGHT_ON_CLOCK, "sweep",
                                               TILEWRIGHT_SOURCE_DIR "/tests/hostile/clock.toml",
                                               "--device", "host", "--db", database().string(),
                                               "--jobs", "2", "--budget", "all"});
  }
  std::filesystem::path database() const { return home_ / "kills.db"; }
  std::string messages() const { return content_of(home_ / "err"); }

 private:
  TemporaryFolder home_;
};

enum class Target { sweep, device_worker, compile_worker, sweep_and_worker };
constexpr const char* kTargets[] = {"the sweep", "the device worker", "a compile worker",
                                    "the sweep and a worker"};

class Killer {
 public:
  explicit Killer(std::uint64_t seed) : random_(seed) {}

  // How long to wait before the next kill; less than `limit`.
  milliseconds instant(milliseconds limit) {
    return milliseconds(
        static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit.count())));
  }

  // True if the sweep is dead.
  bool kill(const RunningProgram& program) {
    const auto target = static_cast<Target>(random_() % 4);
    bool hit = target == Target::sweep || target == Target::sweep_and_worker;
    if (target == Target::sweep) program.kill();
    if (target == Target::device_worker) hit = kill_worker(program, "device");
    if (target == Target::compile_worker) hit = kill_worker(program, "compile");
    if (target == Target::sweep_and_worker) {
      kill_worker(program, random_() % 2 == 0 ? "device" : "compile");
      program.kill();
    }
    if (hit) ++kills_[target];
    return target == Target::sweep || target == Target::sweep_and_worker;
  }

  std::size_t kills() const {
    std::size_t sum = 0;
    for (const auto& [target, count] : kills_) sum += count;
    return sum;
  }
  std::string summary() const {
    std::string text;
    for (const auto& [target, count] : kills_)
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count,
                          kTargets[static_cast<std::size_t>(target)]);
    return text;
  }

 private:
  // False where there is none just now.
  bool kill_worker(const RunningProgram& program, const std::string& role) {
    const std::vector<pid_t> workers = program.workers(role);
    return !workers.empty() && ::kill(workers[random_() % workers.size()], SIGKILL) == 0;
  }

  std::mt19937_64 random_;
  std::map<Target, std::size_t> kills_;
};

struct Tally {
  std::size_t sweeps = 0;
  std::size_t programs = 0;
};

// What nothing disturbed, and how long it took.
struct Calm {
  ClockAnswer answer;
  milliseconds duration{0};
};

std::size_t rows_so_far(const Sweep& sweep) {
  try {
    return std::filesystem::exists(sweep.database()) ? read_answer(sweep.database()).rows : 0;
  } catch (const MachineError&) {
    return 0;  // killed before it made the tables
  }
}

// About as long as the rest of a sweep takes.
milliseconds rest_of(const Sweep& sweep, const Calm& calm) {
  const double done =
      static_cast<double>(rows_so_far(sweep)) / static_cast<double>(calm.answer.rows);
  const double share = std::max(0.1, 1.1 - done);
  return milliseconds(
      1 + static_cast<std::int64_t>(share * static_cast<double>(calm.duration.count())));
}

// Starts the command until the sweep is finished, with a kill in each run; after one of a worker
// alone the run must get to its end by itself.
void disturb(const Sweep& sweep, Killer& killer, std::size_t kills, const Calm& calm,
             Tally& tally) {
  for (;;) {
    const milliseconds rest = rest_of(sweep, calm);
    const auto program = sweep.start();
    ++tally.programs;
    std::optional<int> status;
    bool is_dead = false;
    if (killer.kills() < kills) {
      status = program->wait(killer.instant(rest));
      if (!status) is_dead = killer.kill(*program);
    }
    if (!status) status = program->wait(kFarTooLong);
    ASSERT_TRUE(status.has_value()) << "it hangs\n" << sweep.messages();
    if (*status == 0) return;
    ASSERT_TRUE(is_dead) << "status " << *status << "\n" << sweep.messages();
  }
}

Calm run_calmly() {
  const auto start = Clock::now();
  const Sweep sweep;
  EXPECT_EQ(sweep.start()->wait(kFarTooLong), 0) << sweep.messages();
  return {read_answer(sweep.database()),
          std::chrono::duration_cast<milliseconds>(Clock::now() - start)};
}

TEST(Kills, AtAnyInstantLoseNothingAndChangeNothing) {
  const std::uint64_t seed = number_from("TILEWRIGHT_TEST_SEED", std::random_device{}());
  const std::uint64_t kills = number_from("TILEWRIGHT_TEST_KILLS", 10);
  std::cout << "seed " << seed << std::endl;
  const auto start = Clock::now();
  const Calm calm = run_calmly();
  ASSERT_GT(calm.answer.configurations.size(), 150U);
  ASSERT_FALSE(calm.answer.winner.empty());
  expect_same(calm.answer, calm.answer);

  Killer killer(seed);
  Tally tally;
  while (killer.kills() < kills && !HasFailure()) {
    const Sweep sweep;
    disturb(sweep, killer, kills, calm, tally);
    ++tally.sweeps;
    expect_same(read_answer(sweep.database()), calm.answer);
    if (HasFailure()) std::cout << sweep.messages();
  }
  const std::chrono::duration<double> took = Clock::now() - start;
  std::cout << fmt::format(
                   "{} kills ({}) in {} runs of {} sweeps of {} configurations, {} ms each where "
                   "nothing disturbs them; {:.0f} s in all\n",
                   killer.kills(), killer.summary(), tally.programs, tally.sweeps,
                   calm.answer.configurations.size(), calm.duration.count(), took.count())
            << std::flush;
}

}  // namespace
}  // namespace tilewright::test
