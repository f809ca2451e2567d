// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tilewright_host.h"

// How the host device launches the kernels of a reproducer.

// As variables, because members of CUDA's structures have these names, too.
#undef gridDim
#undef blockDim
static uint3& gridDim = tilewright_host_state.grid_dim;
static uint3& blockDim = tilewright_host_state.block_dim;

#include "reproducer_cpu.h"

namespace tilewright_reproducer {

[[noreturn]] inline void stop(const char* why) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", why);
  std::abort();  // a debugger stops here
}

// The threads of a launch, each a thread of the CPU, and its blocks one after another. One thread
// runs at a time, in their order, until it ends or waits for others. So they need no atomics, and
// every run is the same.
class Launch {
 public:
  Launch(dim3 grid, dim3 block, std::size_t shared_bytes, std::function<void()> kernel)
      : threads_(block.x * block.y * block.z),
        shared_bytes_(shared_bytes),
        grid_(grid),
        block_dim_(block),
        kernel_(std::move(kernel)) {
    cudaMalloc(&shared_, shared_bytes);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() { cudaFree(shared_); }

  void run() {
    if (is_over() || threads_.empty()) stop("a launch has no blocks, or no threads");
    begin_block();
    std::vector<std::thread> all;
    for (unsigned i = 0; i < threads_.size(); ++i) all.emplace_back([this, i] { run_thread(i); });
    for (std::thread& one : all) one.join();
  }

  static constexpr unsigned long long kWholeBlock = 1ULL << 32;

  // Waits until all of the block, or these lanes of the warp, wait so. Those that have ended are
  // not waited for.
  void wait(unsigned long long lanes) {
    const unsigned number = turn_;
    threads_[number].waits_for = lanes;
    pass_on();
    await_turn(number);
  }

  // TilewrightHostCalls says what it does.
  void exchange(unsigned lanes, const void* value, void* all, unsigned bytes) {
    const unsigned first = turn_ & ~31U;
    std::memcpy(threads_[turn_].value, value, bytes);
    wait(lanes);
    std::memset(all, 0xff, 32 * bytes);
    for (unsigned i = first; i < first + 32 && i < threads_.size(); ++i)
      if ((lanes >> (i & 31) & 1) != 0 && !threads_[i].has_ended)
        std::memcpy(static_cast<char*>(all) + (i & 31) * bytes, threads_[i].value, bytes);
    wait(lanes);
  }

 private:
  struct Thread {
    std::condition_variable_any has_turn;
    bool has_ended = false;
    unsigned long long waits_for = 0;  // lanes of its warp, or kWholeBlock; 0: it does not wait
    unsigned char value[16];           // that it gives to others of its warp
  };

  bool is_over() const { return block_ == grid_.x * grid_.y * grid_.z; }

  void run_thread(unsigned number) {
    const std::lock_guard<std::mutex> lock(running_);
    for (await_turn(number); !is_over(); await_turn(number)) {
      kernel_();
      threads_[number].has_ended = true;
      pass_on();
    }
  }

  void await_turn(unsigned number) {
    while (turn_ != number && !is_over()) threads_[number].has_turn.wait(running_);
    const dim3 all = block_dim_;
    tilewright_host_state.thread = {number % all.x, number / all.x % all.y, number / all.x / all.y};
  }

  void pass_on() {
    const auto count = static_cast<unsigned>(threads_.size());
    bool all_ended = true;
    for (unsigned i = 1; i <= count; ++i) {
      const unsigned next = (turn_ + i) % count;
      all_ended = all_ended && threads_[next].has_ended;
      if (!may_run(next)) continue;
      turn_ = next;
      threads_[next].has_turn.notify_one();
      return;
    }
    if (!all_ended) stop("deadlock: all threads of the block wait, but not for the same");
    ++block_;
    begin_block();
  }

  // Whether it does not wait, or all for which it waits have come; then none of them waits any
  // longer.
  bool may_run(unsigned number) {
    Thread& thread = threads_[number];
    const unsigned long long lanes = thread.waits_for;
    if (thread.has_ended || lanes == 0) return !thread.has_ended;
    const auto is_one = [&](unsigned i) {
      return lanes == kWholeBlock || (i / 32 == number / 32 && (lanes >> (i & 31) & 1) != 0);
    };
    for (unsigned i = 0; i < threads_.size(); ++i)
      if (is_one(i) && !threads_[i].has_ended && threads_[i].waits_for != lanes) return false;
    for (unsigned i = 0; i < threads_.size(); ++i)
      if (is_one(i)) threads_[i].waits_for = 0;
    thread.waits_for = 0;
    return true;
  }

  void begin_block() {
    turn_ = 0;
    for (Thread& thread : threads_) {
      thread.has_ended = false;
      if (is_over() || &thread == &threads_[0]) thread.has_turn.notify_one();
    }
    cudaMemset(shared_, 0xff, shared_bytes_);
    TilewrightHostState& state = tilewright_host_state;
    state.block = {block_ % grid_.x, block_ / grid_.x % grid_.y, block_ / grid_.x / grid_.y};
    state.block_dim = {block_dim_.x, block_dim_.y, block_dim_.z};
    state.grid_dim = {grid_.x, grid_.y, grid_.z};
    state.dynamic_shared = static_cast<char*>(shared_);
  }

  std::mutex running_;  // the running thread holds it
  std::vector<Thread> threads_;
  void* shared_ = nullptr;
  std::size_t shared_bytes_;
  dim3 grid_;
  dim3 block_dim_;
  std::function<void()> kernel_;
  unsigned block_ = 0;
  unsigned turn_ = 0;
};

inline Launch* launched = nullptr;

template <class Result, class... Parameters>
void leave_out(Result (*&call)(Parameters...)) {
  call = [](Parameters...) -> Result {
    stop(
        "a program for the host device has no bulk copies, barriers in shared memory, named "
        "barriers, clusters, barriers of a grid and textures, and the kernel uses one of them");
  };
}
template <class... Calls>
void leave_all_out(Calls&... calls) {
  (leave_out(calls), ...);
}

// What tilewright_host.h calls.
inline TilewrightHostCalls host_calls() {
  TilewrightHostCalls all;
  all.sync_warp = [](void*, unsigned lanes, const char*, int) { launched->wait(lanes); };
  all.exchange = [](void*, unsigned lanes, const void* value, void* of_all, unsigned bytes,
                    const char*, int) { launched->exchange(lanes, value, of_all, bytes); };
  leave_all_out(all.init_barrier, all.arrive, all.wait, all.start_box, all.start_bytes,
                all.store_box, all.store_bytes, all.end_store_group, all.wait_for_stores,
                all.arrive_at_named_barrier, all.wait_at_named_barrier, all.sync_cluster,
                all.rank_in_cluster, all.in_block, all.sync_grid, all.is_cooperative,
                all.read_texture, all.fetch_texture, all.start_pixels);
  return all;
}

}  // namespace tilewright_reproducer

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               A&&... arguments) {
  using namespace tilewright_reproducer;
  static const TilewrightHostCalls calls = host_calls();
  static const TilewrightHostCalls* handle = &calls;
  Launch launch(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                [&] { kernel(arguments...); });
  launched = &launch;
  tilewright_host_state.fibers = &handle;
  tilewright_host_state.barrier = [](void*, const char*, int) {
    launched->wait(Launch::kWholeBlock);
  };
  launch.run();
  return cudaSuccess;
}
