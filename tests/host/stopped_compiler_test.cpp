// Compilers that something else than the source keeps from their work.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/host/host_support.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/unit/tuner/worker/waiting.hpp"
#include "tilewright/error.hpp"
#include "tuner/toolchain/compiler_run.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// A compiler that notes each run of it and does what `body` says before it compiles. $RUN is the
// number of the run, from 1.
class StoppedCompiler : public ::testing::Test {
 protected:
  CompileResult compile(const std::string& body) {
    fs::remove(log_);
    const fs::path program =
        folder_.write("c++", "#!/bin/sh\n[ \"$1\" = --version ] && exec " TILEWRIGHT_HOST_COMPILER
                             " --version\necho run >> " +
                                 log_.string() + "\nRUN=$(wc -l < " + log_.string() + ")\n" + body +
                                 "\nexec " TILEWRIGHT_HOST_COMPILER " \"$@\"\n");
    fs::permissions(program, fs::perms::owner_all);
    return host::HostCompiler(program, folder_.path())
        .compile(request_for(doubling_source(), {"run"}));
  }

  std::uintmax_t runs() const { return fs::file_size(log_) / std::string("run\n").size(); }

  FolderOfFiles folder_;
  fs::path log_ = folder_.path() / "runs";
};

const std::string kFullDisk =
    "echo \"test.cu:1:1: fatal error: error writing to /tmp/ccXY.s: No space left on device\" >&2; "
    "exit 1";
const std::string kKilled =
    "echo \"c++: fatal error: Killed signal terminated program cc1plus\" >&2; exit 1";

std::string once(const std::string& what) {
  return "[ $RUN = 1 ] && { " + what + "; }";
}

TEST_F(StoppedCompiler, WhatPassesIsNoOutcome) {
  for (const std::string& what :
       {kFullDisk, kKilled, std::string("kill -9 $$"), std::string("kill -15 $$"),
        std::string("kill -11 $$"), std::string("exit 1")}) {
    const CompileResult result = compile(once(what));
    EXPECT_TRUE(result.ok()) << what << '\n' << result.log;
    EXPECT_EQ(runs(), 2U) << what;
  }
}

TEST_F(StoppedCompiler, AFaultOfTheMachineThatStaysIsAMachineError) {
  for (const std::string& what :
       {kFullDisk, std::string("kill -15 $$"), std::string("kill -1 $$"),
        std::string("echo \"collect2: cannot open 'a.res': Too many open files.\"; exit 1")}) {
    try {
      const CompileResult result = compile(what);
      ADD_FAILURE() << what << '\n' << result.log;
    } catch (const MachineError& error) {
      EXPECT_NE(std::string(error.what()).find("was stopped twice, not by the kernel"),
                std::string::npos)
          << error.what();
    }
    EXPECT_EQ(runs(), 2U) << what;
  }
}

TEST_F(StoppedCompiler, ACrashOrTooLittleMemoryTwiceIsAnOutcome) {
  const CompileResult crashed = compile("kill -11 $$");
  EXPECT_EQ(crashed.outcome, Outcome::compile_failed);
  EXPECT_EQ(crashed.log, "the compiler crashed twice: signal 11\n");
  EXPECT_EQ(crashed.milliseconds, 0) << "so that it is not cached";
  const CompileResult silent = compile("exit 4");
  EXPECT_EQ(silent.outcome, Outcome::machine_failed);
  EXPECT_EQ(silent.log, "the compiler crashed twice: exit status 4 and no message\n");
  EXPECT_EQ(compile("kill -9 $$").outcome, Outcome::compile_timed_out);
  EXPECT_EQ(compile(kKilled).outcome, Outcome::compile_timed_out);
  EXPECT_EQ(compile("echo virtual memory exhausted; exit 1").outcome, Outcome::compile_timed_out);
}

TEST_F(StoppedCompiler, AMistakeOfTheSourceIsNotTriedAgain) {
  const CompileResult result = compile("echo \"test.cu:3:1: error: no such thing\"; exit 1");
  EXPECT_EQ(result.outcome, Outcome::compile_failed);
  EXPECT_EQ(result.log, "test.cu:3:1: error: no such thing\n");
  EXPECT_EQ(runs(), 1U);
}

// The program's own environment does not decide in which language a fault is named, or where
// temporary files are.
TEST_F(StoppedCompiler, RunsInEnglishAndInItsOwnFolder) {
  const CompileResult result = compile("echo \"$LC_ALL $TMPDIR $PWD\"; exit 1");
  EXPECT_TRUE(result.log.starts_with("C " + folder_.path().string())) << result.log;
  const std::string words = result.log.substr(2, result.log.find('\n') - 2);
  const std::size_t space = words.find(' ');
  EXPECT_EQ(words.substr(0, space), words.substr(space + 1));
}

TEST(Stopped, OnlyTheEndOfALineNamesAFaultOfTheMachine) {
  EXPECT_TRUE(names_machine_fault("as: cannot write: No space left on device"));
  EXPECT_TRUE(names_machine_fault("final close failed: 'Input/output error'."));
  EXPECT_FALSE(names_machine_fault("12 |  \"No space left on device\"; // a text"));
  EXPECT_FALSE(names_machine_fault(""));
}

// A folder as a killed process leaves it: nobody holds its lock.
fs::path abandoned(const FolderOfFiles& parent, const std::string& name) {
  return parent.write(name + "/kernel.cpp", "text").parent_path();
}

TEST(ScratchFolder, ThoseOfDeadProcessesAreRemovedAndNoOthers) {
  const FolderOfFiles parent;
  const FolderOfFiles elsewhere;
  const fs::path kept = elsewhere.write("file", "text");
  const fs::path dead = abandoned(parent, "tilewright-scratch-dead01");
  fs::create_directory_symlink(elsewhere.path(), dead / "link");
  const fs::path link = parent.path() / "tilewright-scratch-link01";
  fs::create_directory_symlink(elsewhere.path(), link);
  const fs::path other = abandoned(parent, "somebody-else");
  const fs::path file = parent.write("tilewright-scratch-file01", "a file");
  const ScratchFolder alive(parent.path());

  remove_abandoned(parent.path());
  EXPECT_FALSE(fs::exists(dead));
  for (const fs::path& path : {kept, link, other, file, alive.path()})
    EXPECT_TRUE(fs::exists(path)) << path;
}

TEST(ScratchFolder, IsGoneWithItsContentsInTheEnd) {
  const FolderOfFiles parent;
  {
    const ScratchFolder folder(parent.path());
    std::ofstream(folder.path() / "file") << "text";
    EXPECT_TRUE(fs::is_directory(folder.path()));
  }
  EXPECT_TRUE(fs::is_empty(parent.path()));
  EXPECT_THROW(ScratchFolder(parent.path() / "nowhere"), MachineError);
}

TEST(RunCommand, KillsWhatDoesNotEndWithinItsLimit) {
  const FolderOfFiles folder;
  const auto run = [&](const std::string& seconds, std::chrono::milliseconds limit) {
    return run_command("/bin/sleep", {seconds}, folder.path(), limit).status;
  };
  EXPECT_EQ(run("0", std::chrono::minutes(1)), 0);
  try {
    run("300", std::chrono::milliseconds(250));
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "/bin/sleep 300 did not end within 0.25 s");
  }
}

// As a compiler behind two wrappers.
TEST(RunCommand, KillsWhatAProgramHasStartedThatDoesNotEnd) {
  const FolderOfFiles folder;
  const std::string inner = "sleep 300 & echo $! > started; wait";
  EXPECT_THROW(run_command("/bin/sh", {"-c", "sh -c '" + inner + "'; true"}, folder.path(),
                           std::chrono::milliseconds(500)),
               MachineError);
  pid_t started = 0;
  ASSERT_TRUE(std::ifstream(folder.path() / "started") >> started);
  EXPECT_TRUE(becomes_true([started] { return !is_alive(started); }));
}

}  // namespace
}  // namespace tilewright::test
