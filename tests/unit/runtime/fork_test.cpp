// A program that forks, or ends, while the library has threads.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include "tests/unit/runtime/blend.hpp"
#include "tuner/backend/of_process.hpp"

namespace tilewright::test {
namespace {

constexpr unsigned kHangs = 60;  // seconds, when a child that hangs is ended by SIGALRM

// The wait status of a child that returns from `work`.
int status_of_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kHangs);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class AfterFork : public BlendTest {
 protected:
  static bool launches(const Kernel& kernel) {
    BlendOperands operands(30);
    kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
    return operands.y[29] == operands.expected(29);
  }
};

TEST_F(AfterFork, TheChildLaunchesWhatItsParentHasLaunched) {
  const Runtime runtime(options());
  const Kernel kernel = runtime.kernel(request({{"count", 30}}));
  EXPECT_TRUE(launches(kernel));
  EXPECT_EQ(status_of_child([&] { return launches(kernel) && launches(kernel); }), 0);
  EXPECT_EQ(status_of_child([&] {
              return launches(kernel) && status_of_child([&] { return launches(kernel); }) == 0;
            }),
            0);
  EXPECT_TRUE(launches(kernel));
}

TEST_F(AfterFork, TheChildMayMakeItsOwn) {
  const Runtime runtime(options());
  EXPECT_TRUE(launches(runtime.kernel(request({{"count", 30}}))));
  EXPECT_EQ(status_of_child([&] {
              return launches(Runtime(options()).kernel(request({{"count", 30}})));
            }),
            0);
}

TEST_F(AfterFork, TheChildsCopiesEnd) {
  std::optional<Runtime> runtime(options());
  std::optional<Kernel> kernel = runtime->kernel(request({{"count", 30}}));
  EXPECT_TRUE(launches(*kernel));
  EXPECT_EQ(status_of_child([&] {
              runtime.reset();
              kernel.reset();
              return true;
            }),
            0);
}

TEST(OfProcess, AChildHasItsOwn) {
  struct Counted {
    explicit Counted(std::atomic<int>& ended) : ended_(ended) {}
    ~Counted() { ++ended_; }
    std::atomic<int>& ended_;
    pid_t made_by = getpid();
  };
  std::atomic<int> ended = 0;
  std::optional<OfProcess<Counted>> held(std::in_place,
                                         [&] { return std::make_unique<Counted>(ended); });
  EXPECT_EQ(held->get().made_by, getpid());
  EXPECT_EQ(status_of_child([&] {
              const bool is_own = held->get().made_by == getpid();
              held.reset();
              return is_own && ended == 1;
            }),
            0);
  EXPECT_EQ(status_of_child([&] {
              held.reset();  // it never asked
              return ended == 0;
            }),
            0);
  held.reset();
  EXPECT_EQ(ended, 1);
}

// Destroyed after whatever functions of the library have that is static.
struct LastToEnd {
  std::atomic<bool> waits = false;
  ~LastToEnd() {
    if (waits) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
} last_to_end;

TEST_F(AfterFork, AThreadMayUseTheLibraryWhileTheProgramEnds) {
  EXPECT_TRUE(launches(Runtime(options()).kernel(request({{"count", 30}}))));  // it is compiled
  EXPECT_EQ(status_of_child([&] {
              std::atomic<int> rounds = 0;
              std::thread([&] {
                for (;; ++rounds) {
                  const Runtime runtime(options());
                  if (!launches(runtime.kernel(request({{"count", 30}})))) std::abort();
                }
              }).detach();
              while (rounds == 0) std::this_thread::yield();
              last_to_end.waits = true;
              std::exit(0);
              return false;
            }),
            0);
}

}  // namespace
}  // namespace tilewright::test
