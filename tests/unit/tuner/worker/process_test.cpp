#include "tuner/worker/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>

#include "temporary_folder.hpp"
#include "tilewright/error.hpp"
#include "waiting.hpp"

namespace tilewright {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongEnough{60'000};

ProcessOptions fake(std::vector<std::string> arguments, std::int64_t memory_limit_bytes = 0) {
  return {TILEWRIGHT_FAKE_WORKER, std::move(arguments), memory_limit_bytes};
}

std::string read_some(int fd) {
  char bytes[256];
  const ssize_t count = read(fd, bytes, sizeof bytes);
  return {bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

pid_t wait_for_grandchild(const std::filesystem::path& path) {
  pid_t pid = -1;
  becomes_true([&] { return static_cast<bool>(std::ifstream(path) >> pid); });
  return pid;
}

TEST(Descriptor, ClosesAndMoves) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor read_end(ends[0]);
  {
    Descriptor first(ends[1]);
    Descriptor second(std::move(first));
    EXPECT_EQ(first.get(), -1);
    EXPECT_EQ(second.get(), ends[1]);
    first = std::move(second);
    EXPECT_EQ(first.get(), ends[1]);
  }
  EXPECT_EQ(read_some(read_end.get()), "");  // end of file: the write end is closed
}

TEST(Process, TalksThroughPipesAndEndsAtEndOfFile) {
  Process process(fake({"echo"}));
  ASSERT_EQ(write(process.input(), "hello", 5), 5);
  EXPECT_EQ(read_some(process.output()), "hello");
  const ExitStatus status = process.stop(kLongEnough);
  EXPECT_EQ(status.signal, 0);
  EXPECT_EQ(status.code, 0);
}

TEST(Process, TellsHowItEnded) {
  Process leaves(fake({"do", "exit 7"}));
  EXPECT_EQ(to_text(leaves.stop(kLongEnough)), "exit status 7");
  Process crashes(fake({"do", "abort"}));
  EXPECT_EQ(to_text(crashes.stop(kLongEnough)), "signal 6 (Aborted)");
  Process hangs(fake({"do", "hang"}));
  EXPECT_EQ(to_text(hangs.kill()), "signal 9 (Killed)");
}

TEST(Process, StoppingTwiceIsHarmless) {
  Process process(fake({"do", "exit 7"}));
  process.stop(kLongEnough);
  EXPECT_EQ(process.stop(kLongEnough).code, 0);
}

TEST(Process, AProgramThatIsNotThereIsAMachineError) {
  try {
    Process({"/nonexistent/worker", {}, 0});
    FAIL() << "no exception";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "cannot run /nonexistent/worker: No such file or directory");
  }
}

TEST(Process, IsKilledWithItsObject) {
  pid_t pid = -1;
  {
    const Process process(fake({"do", "hang"}));
    pid = process.id();
    EXPECT_TRUE(is_alive(pid));
  }
  EXPECT_FALSE(is_alive(pid));
}

TEST(Process, TakesItsChildrenWithIt) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "pid";
  Process process(fake({"do", "grandchild " + path.string()}));
  const pid_t grandchild = wait_for_grandchild(path);
  ASSERT_TRUE(is_alive(grandchild));
  process.kill();
  EXPECT_TRUE(becomes_true([&] { return !is_alive(grandchild); }));
}

TEST(Process, HasItsOwnGroupAndNoStrayDescriptors) {
  const int ours = open("/dev/null", O_RDONLY);  // not even marked
  Process first(fake({"echo"}));
  Process second(fake({"echo"}));
  EXPECT_EQ(getpgid(second.id()), second.id());
  // Its answer says that it has loaded its libraries, which takes descriptors for a moment.
  ASSERT_EQ(write(second.input(), "hello", 5), 5);
  ASSERT_EQ(read_some(second.output()), "hello");
  const std::filesystem::path descriptors = "/proc/" + std::to_string(second.id()) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(descriptors))
    EXPECT_LE(std::stoi(entry.path().filename()), 2) << entry.path();
  // The second child holds no end of the first one's pipes, so this ends it.
  EXPECT_EQ(first.stop(kLongEnough).signal, 0);
  close(ours);
}

TEST(Process, OutlivesTheThreadThatMadeIt) {
  std::optional<Process> process;
  std::thread([&] { process.emplace(fake({"echo"})); }).join();
  ASSERT_EQ(write(process->input(), "x", 1), 1);
  EXPECT_EQ(read_some(process->output()), "x");
}

TEST(Process, MovesWithItsChild) {
  Process first(fake({"echo"}));
  Process second(std::move(first));
  ASSERT_EQ(write(second.input(), "x", 1), 1);
  EXPECT_EQ(read_some(second.output()), "x");
  EXPECT_EQ(second.stop(kLongEnough).code, 0);
}

TEST(Process, MemoryLimitHolds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the whole address space";
#endif
  Process process(fake({"do", "eat"}, std::int64_t{256} << 20));
  EXPECT_EQ(to_text(process.stop(kLongEnough)), "signal 6 (Aborted)");  // bad_alloc
}

TEST(ProgramFolder, IsWhereTheProgramLiesOrNotKnown) {
  EXPECT_TRUE(std::filesystem::exists(program_folder() / "worker_test"));
  try {
    program_folder("/proc/self/none");
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("/proc/self/none cannot be read"), std::string::npos);
  }
}

// A child of ours makes a child and is killed: the kernel must take the grandchild too.
TEST(Process, DiesWithTheProcessThatMadeIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const Process process(fake({"do", "hang"}));
    const pid_t id = process.id();
    if (write(ends[1], &id, sizeof id) != sizeof id) _exit(1);
    for (;;) pause();
  }
  pid_t id = -1;
  ASSERT_EQ(read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  EXPECT_TRUE(is_alive(id));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] { return !is_alive(id); }));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tilewright
