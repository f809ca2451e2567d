// The real tilewright-worker program, at the other end of the pool and of the client.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/worker/compile_pool.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kLongForAProgram{60'000};

CompileRequest small_kernel() {
  CompileRequest request;
  request.source = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n";
  request.source_name = "k.cu";
  request.architecture = "sm_90";
  request.entries = {"k"};
  return request;
}

TEST(WorkerProgram, RefusesUnknownWords) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"dance"}, {"compile", "--nvrtc"}, {"compile", "x", "y"}, {"device", "0"}}) {
    Process process({TILEWRIGHT_WORKER, words, 0});
    EXPECT_EQ(to_text(process.stop(kLongForAProgram)), "exit status 2");
  }
}

TEST(WorkerProgram, LeavesAtEndOfFile) {
  if (devices_of(DeviceKind::cuda).why.starts_with("this build has no"))
    GTEST_SKIP() << "built without CUDA";
  Process process({TILEWRIGHT_WORKER, {"device"}, 0});
  EXPECT_EQ(to_text(process.stop(kLongForAProgram)), "exit status 0");
}

bool ignores(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (std::uint64_t mask = 0; word == "SigIgn:" && status >> std::hex >> mask)
      return (mask >> (signal - 1) & 1) != 0;
  return false;
}

// Batch systems send it to all processes of a job. The program still needs its workers then.
TEST(WorkerProgram, LeavesSigtermToTheProgram) {
  Process process({TILEWRIGHT_WORKER, {"device", "host"}, 0});
  const auto deadline = std::chrono::steady_clock::now() + kLongForAProgram;
  while (!ignores(process.id(), SIGTERM)) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(kill(process.id(), SIGTERM), 0);
  EXPECT_EQ(to_text(process.stop(kLongForAProgram)), "exit status 0");
}

// Either it compiles, or it says why this machine cannot.
TEST(WorkerProgram, CompilesWithinThePoolsDefaultLimits) {
  CompilePoolOptions options;
  options.worker = TILEWRIGHT_WORKER;
  options.processes = 1;
  CompilePool pool(options, {});
  pool.submit(1, small_kernel());
  CompileRequest wrong = small_kernel();
  wrong.source = "oops";
  pool.submit(2, wrong);
  try {
    const auto first = pool.next(kLongForAProgram);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->ticket, 1U);
    EXPECT_TRUE(first->result.ok()) << first->result.log;
    EXPECT_GT(first->result.entries.at("k").resources.registers, 0);
    const auto second = pool.next(kLongForAProgram);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->result.outcome, Outcome::compile_failed);
    EXPECT_NE(second->result.log.find("k.cu"), std::string::npos) << second->result.log;
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace tilewright
