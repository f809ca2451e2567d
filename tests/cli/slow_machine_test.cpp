// A machine that is slow, paused or out of order for a while is not the kernel's fault.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "db/store/store.hpp"
#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class SlowMachine : public ::testing::Test {
 protected:
  SlowMachine() { give_own_cache(home_); }
  // A C++ compiler that does this first.
  void write_compiler(const std::string& first) const {
    const fs::path compiler = programs_ / "c++";
    write_text(compiler, "#!/bin/sh\n[ \"$1\" = --version ] && exec /usr/bin/c++ --version\n" +
                             first + "\nexec /usr/bin/c++ \"$@\"\n");
    fs::permissions(compiler, fs::perms::owner_all);
  }
  std::string path() const { return "PATH=" + programs_.path().string() + ":/usr/bin:/bin"; }
  std::vector<std::string> sweep() const {
    return {"sweep", manifest_.string(), "--device", "host", "--compile-limit", "1s"};
  }
  // In the screenings of the newest sweep.
  std::size_t count(Outcome outcome) const {
    const Store store(database_in(home_.path()), Store::Mode::read_only);
    const std::vector<Trial> trials = store.trials(store.sweeps({}).back().id);
    return static_cast<std::size_t>(std::ranges::count_if(trials, [outcome](const Trial& trial) {
      return trial.stage == Stage::screen && trial.outcome == outcome;
    }));
  }

  TemporaryFolder home_, kernel_, programs_;
  fs::path manifest_ = write_copy_kernel(kernel_.path());
  fs::path flag_ = programs_ / "flag";
};

// Stops the program and its processes, but not the compiler, as soon as that has begun. The
// program is the first to go on.
TEST_F(SlowMachine, ATimeInWhichTheProgramWasStoppedDoesNotCount) {
  write_compiler("touch " + flag_.string());
  const std::string script = fmt::format(
      "export {}; \"$@\" & P=$!; while ! [ -e {} ]; do sleep 0.02; done; "
      "ALL=\"$P $(cat /proc/$P/task/*/children)\"; kill -STOP $ALL; sleep 2; "
      "for ONE in $ALL; do kill -CONT $ONE; done; wait $P",
      path(), flag_.string());
  const Finished finished =
      run_tilewright_within(home_.path(), {"sh", "-c", script, "sh"}, sweep());
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(count(Outcome::measured), 2U) << finished.out;
}

// As long as there is a flag, one compile gets no processor for longer than its limit, and another
// ends without a word.
TEST_F(SlowMachine, ACompileThatWaitsHasItsTimeAndWhatTheMachineEndedIsTriedAgain) {
  write_text(flag_, "");
  write_compiler(fmt::format("if [ -e {} ]; then grep -qs 'BLOCK 64' * && exit 0; sleep 1.2; fi",
                             flag_.string()));
  const Finished first = run_tilewright(home_.path(), sweep(), {path()});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(count(Outcome::measured), 1U) << first.out;
  EXPECT_EQ(count(Outcome::machine_failed), 1U) << first.out;
  EXPECT_NE(first.out.find("1 failure of the machine"), std::string::npos) << first.out;

  fs::remove(flag_);
  const Finished second = run_tilewright(home_.path(), sweep(), {path()});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_NE(second.err.find("going on from an earlier sweep: 1 trial kept"), std::string::npos)
      << second.err;
  EXPECT_EQ(count(Outcome::measured), 2U) << second.out;
  EXPECT_EQ(run_tilewright(home_.path(), sweep(), {path()}).err.find("kept"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
