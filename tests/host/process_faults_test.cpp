// Kernels of the host device that change the process they run in: each costs its own trial alone.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/host/host_support.hpp"

namespace tilewright::test {
namespace {

class HostProcessFaults : public testing::Test {
 protected:
  void SetUp() override { session_->open(doubling()); }

  Attempt<Verification> judge(const std::string& source) {
    const Attempt<Resources> loaded = session_->load(doubling_kernel(source));
    if (!loaded.ok()) return loaded.failure();
    return session_->verify();
  }

  // Judges a kernel of which one thread does this, then a right one.
  void expect(const std::string& declarations, const std::string& statement, Outcome expected,
              const std::string& in_message = "") {
    SCOPED_TRACE(statement);
    const int before = session_->restarts();
    const std::string source = declarations + doubling_source("if (i == 0) { " + statement + " }");
    const Attempt<Verification> verified = judge(source);
    EXPECT_EQ(outcome(verified), expected) << to_text(verified);
    EXPECT_NE(to_text(verified).find(in_message), std::string::npos) << to_text(verified);
    const Attempt<Verification> right = judge(doubling_source());
    EXPECT_TRUE(right.ok()) << to_text(right);
    if (expected == Outcome::measured) {
      EXPECT_EQ(session_->restarts(), before);
    }
  }

  std::unique_ptr<Evaluator> session_ = worker_session();
};

// A child that went on would answer as its parent does.
TEST_F(HostProcessFaults, AForkedChildAnswersNothing) {
  const std::string fork = "extern \"C\" int fork(); extern \"C\" unsigned sleep(unsigned);\n";
  expect(fork, "fork();", Outcome::measured);
  expect(fork, "if (fork() == 0) return;", Outcome::measured);
  expect(fork, "if (fork() == 0) for (;;) sleep(1);", Outcome::measured);
  expect(fork, "for (int j = 0; j < 20; ++j) fork();", Outcome::measured);
  // Without the handlers of fork().
  expect("extern \"C\" int _Fork();\n", "_Fork();", Outcome::measured);
}

TEST_F(HostProcessFaults, AProgramMayBeStarted) {
  expect("extern \"C\" int system(const char*);\n", "if (system(\"true\") != 0) y[0] = -1;",
         Outcome::measured);
}

TEST_F(HostProcessFaults, DescriptorsThatAreClosed) {
  expect("extern \"C\" int close(int);\n", "for (int f = 3; f < 1000; ++f) close(f);",
         Outcome::measured);
  expect("extern \"C\" int close_range(unsigned, unsigned, int);\n", "close_range(3, ~0u, 0);",
         Outcome::faulted, "died in 'verify'");
}

TEST_F(HostProcessFaults, GarbageInEveryDescriptor) {
  const std::string write = "extern \"C\" long write(int, const void*, unsigned long);\n";
  const std::string all = "for (int f = 3; f < 1100; ++f) write(f, ";
  expect(write, all + "\"garbage garbage\", 15);", Outcome::faulted,
         "said something wrong in 'verify': the message is damaged");
  expect(write, all + R"("\xff\xff\xff\x3f a message of 1 GiB", 24);)", Outcome::faulted,
         "said something wrong in 'verify': the message is damaged");
}

TEST_F(HostProcessFaults, TheEndOfTheProcess) {
  expect("extern \"C\" void exit(int);\n", "exit(0);", Outcome::faulted, "died in 'verify'");
  expect("extern \"C\" void _exit(int);\n", "_exit(0);", Outcome::faulted, "exit status 0");
  expect("extern \"C\" void _exit(int);\n", "_exit(127);", Outcome::faulted, "exit status 127");
  expect("extern \"C\" void abort();\n", "abort();", Outcome::faulted, "signal 6");
  expect("extern \"C\" int raise(int);\n", "raise(9);", Outcome::machine_failed, "signal 9");
}

TEST_F(HostProcessFaults, SignalsThatAProgramSends) {
  expect("extern \"C\" int raise(int);\n", "raise(15);", Outcome::measured);
  expect("extern \"C\" int kill(int, int);\n", "kill(0, 15);", Outcome::measured);
}

// They would find the code of a later kernel, or none.
TEST_F(HostProcessFaults, AlarmsAndHandlersEndWithTheirKernel) {
  const std::string alarm = "extern \"C\" unsigned alarm(unsigned);\n";
  expect(alarm, "alarm(1);", Outcome::measured);
  expect(alarm +
             "extern \"C\" void* signal(int, void (*)(int));\n"
             "void handler(int) { *(volatile int*)0 = 1; }\n",
         "signal(14, handler); alarm(1);", Outcome::measured);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const Attempt<Verification> right = judge(doubling_source());
  EXPECT_TRUE(right.ok()) << to_text(right);
  EXPECT_EQ(session_->restarts(), 0);
}

}  // namespace
}  // namespace tilewright::test
