// What tests of several devices under one process share.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "db/store/store.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/hostile/clock_answer.hpp"
#include "tests/hostile/running_program.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {

inline constexpr std::size_t kProblems = 3;
inline constexpr int kInterrupted = 130;
inline constexpr const char* kManifest = TILEWRIGHT_SOURCE_DIR "/tests/hostile/clock.toml";

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
    return {TILEWRIGHT_ON_CLOCK, "job",      "create", job(), kManifest, "--shapes",
            shapes(kProblems),   "--budget", "all"};
  }
  std::vector<std::string> job_command(const std::string& devices,
                                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {TILEWRIGHT_ON_CLOCK, "job",   "run",    job(),
                                      "--local",           local(), "--jobs", "2",
                                      "--device",          devices};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::string> merge() const {
    return {TILEWRIGHT_ON_CLOCK, "job", "merge", job(), "--into", database()};
  }
  std::filesystem::path job() const { return home_ / "job"; }
  std::filesystem::path local() const { return home_ / "local"; }

  std::unique_ptr<RunningProgram> start(const std::vector<std::string>& words) const {
    return std::make_unique<RunningProgram>(home_.path(), words);
  }
  int run(const std::vector<std::string>& words) const {
    return start(words)->wait(kFarTooLong).value_or(-1);
  }
  void lose(int device) const { write_text(home_ / fmt::format("lost-{}", device), ""); }
  std::map<std::string, ClockAnswer> answers() const { return clock_answers(database()); }
  std::filesystem::path shapes(std::size_t problems) const {
    std::string lines;
    for (std::size_t i = 0; i < problems; ++i) lines += fmt::format("count={}\n", 1000 + i);
    write_text(home_ / "shapes.txt", lines);
    return home_ / "shapes.txt";
  }
  std::filesystem::path database() const { return home_ / "node.db"; }
  std::filesystem::path lock(const std::string& device) const { return home_ / "locks" / device; }
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

inline const std::map<std::string, ClockAnswer>& undisturbed() {
  static const std::map<std::string, ClockAnswer> answers = [] {
    const Node node;
    EXPECT_EQ(node.run(node.command("host")), 0) << node.messages();
    return node.answers();
  }();
  return answers;
}

inline void expect_same_answers(const Node& node, std::size_t problems = kProblems) {
  const auto answers = node.answers();
  EXPECT_EQ(answers.size(), problems);
  for (const auto& [problem, answer] : answers) {
    SCOPED_TRACE(problem + '\n' + node.messages());
    expect_same(answer, undisturbed().at(problem));
  }
}

inline bool says(const Node& node, const std::string& text) {
  return node.messages().find(text) != std::string::npos;
}

// Waits until some trials are stored.
inline void wait_for_rows(const Node& node, std::size_t rows) {
  const auto deadline = std::chrono::steady_clock::now() + kFarTooLong;
  while (node.rows() < rows) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << node.messages();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// A configuration that runs when its device is lost has an outcome of its own then.
inline void expect_complete(const Node& node, std::size_t problems) {
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

// What another program does that measures on the device.
class HeldLock {
 public:
  explicit HeldLock(const std::filesystem::path& lock) {
    std::filesystem::create_directories(lock.parent_path());
    file_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(flock(file_, LOCK_EX | LOCK_NB), 0);
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;
  ~HeldLock() { close(file_); }

 private:
  int file_ = -1;
};

}  // namespace tilewright::test
