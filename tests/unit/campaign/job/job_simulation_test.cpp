// Many members on a file system that lies, with clocks that disagree and processes that die: at any
// time each unit has exactly one file, and in the end each was finished exactly once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>

#include "tests/support/memory_files.hpp"
#include "tests/unit/campaign/job/sample_job.hpp"

namespace tilewright::test {
namespace {

using Fate = MemoryFiles::Fate;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kUnits = 25;
constexpr int kMembers = 8;
constexpr Milliseconds kStep{5000};  // a twelfth of the lease

class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {
    Job::create(files_, kJobFolder, sample_plan(kUnits));
    job_.emplace(files_, kJobFolder);
    files_.fate_of_rename = [this](const auto&, const auto&) {
      return is(10) ? Fate::not_done : is(10) ? Fate::late : Fate::done;
    };
    for (int i = 0; i < kMembers; ++i) start(i);
  }

  void step() {
    now_ += kStep;
    for (Part& part : parts_)
      if (part.member && part.frozen == 0) part.member->beat();
    Part& part = parts_[random_() % kMembers];
    if (part.frozen > 0 && --part.frozen > 0) return;
    if (!part.member) return start(static_cast<int>(&part - parts_));
    try {
      act(part);
    } catch (const MachineError&) {  // the process ends, as the program does
      if (part.unit != nullptr) part.member->give_back(*part.unit);
      end(part);
    }
  }

  // What is wrong; empty: nothing.
  std::string complaint() const {
    std::map<std::string, int> places;
    for (const char* part : {"todo", "taken", "done"})
      for (const std::string& name : names(part)) ++places[name.substr(0, name.find('.'))];
    if (places.size() != kUnits) return fmt::format("{} units have files", places.size());
    for (const auto& [unit, count] : places)
      if (count != 1) return fmt::format("unit {} has {} files", unit, count);
    return "";
  }

  bool is_over() const { return names("done").size() == kUnits; }

  void expect_each_once() {
    std::size_t finished = 0;
    for (const auto& [unit, member] : job_->members_of("done")) {
      EXPECT_EQ(files_.read(job_->result_of(unit, member)), unit + member);
      ++finished;
    }
    EXPECT_EQ(finished, kUnits);
    for (const auto& [unit, count] : finishes_) EXPECT_LE(count, 1) << unit;
  }

 private:
  struct Part {
    std::unique_ptr<JobMember> member;  // null: its process is dead
    const JobUnit* unit = nullptr;
    int frozen = 0;  // as many of its turns
  };

  bool is(unsigned percent) { return random_() % 100 < percent; }
  std::vector<std::string> names(const std::string& part) const {
    return files_.names_in(std::string(kJobFolder) + '/' + part);
  }

  // Each machine's clock has its own origin, and runs up to a tenth too fast or too slow.
  void start(int number) {
    const bool is_same_slot = is(50);
    if (!is_same_slot) slots_[number] = next_slot_++;
    const Milliseconds origin(static_cast<std::int64_t>(random_() % 1'000'000'000));
    const double rate = 0.9 + static_cast<double>(random_() % 200) / 1000;
    parts_[number].member =
        std::make_unique<JobMember>(*job_, id_of(slots_[number]), "member", [this, origin, rate] {
          const auto passed = static_cast<std::int64_t>(static_cast<double>(now_.count()) * rate);
          return JobMember::Clock::time_point(origin + Milliseconds(passed));
        });
    parts_[number].unit = nullptr;
  }

  void end(Part& part) { part = {}; }

  void act(Part& part) {
    if (is(5)) return end(part);  // killed
    if (is(5)) {                  // suspended for longer than a lease
      part.frozen = 4;
      return;
    }
    if (part.unit == nullptr) {
      part.unit = part.member->claim();
    } else if (is(20)) {
      part.member->give_back(*part.unit, is(50) ? "trials" : "");
      part.unit = nullptr;
    } else if (is(60)) {
      const JobUnit& unit = *part.unit;
      const std::string member = id_of(slots_[&part - parts_]);
      if (part.member->finish(unit, unit.id + member)) ++finishes_[unit.id];
      part.unit = nullptr;
    }
  }

  std::mt19937 random_;
  MemoryFiles files_;
  std::optional<Job> job_;
  Milliseconds now_{0};
  Part parts_[kMembers];
  int slots_[kMembers] = {101, 102, 103, 104, 105, 106, 107, 108};
  int next_slot_ = 200;
  std::map<std::string, int> finishes_;
};

TEST(JobSimulation, LosesNothingAndFinishesNothingTwice) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Simulation simulation(seed);
    int steps = 0;
    for (; steps < 50'000 && !simulation.is_over(); ++steps) {
      simulation.step();
      ASSERT_EQ(simulation.complaint(), "") << "seed " << seed << ", step " << steps;
    }
    EXPECT_TRUE(simulation.is_over()) << "seed " << seed;
    simulation.expect_each_once();
  }
}

}  // namespace
}  // namespace tilewright::test
