#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/host/threads/async_copies.hpp"
#include "tuner/host/threads/fiber.hpp"
#include "tuner/host/threads/module.hpp"
#include "tuner/host/threads/texture.hpp"

namespace tilewright::host {

inline constexpr std::size_t kWarpSize = 32;

// The order in which a block's threads run from one barrier to the next. It also decides how fast
// what a thread does not wait for happens. Forward: bulk copies are done at once, and a thread that
// arrives at a barrier without waiting lets the others go first, so what it gives back is
// overwritten early. Reverse: copies are done when no thread can go on without them. Shuffled: by
// chance. A kernel must be right with each of them.
enum class ThreadOrder { forward, reverse, shuffled };

// What the blocks that run together are: a cluster, or the whole grid of a cooperative launch.
enum class Together { cluster, grid };

// Runs the threads of a cluster's blocks, in most launches of one block, as fibers of the calling
// thread. Each fiber runs until it ends or waits; this repeats until all have ended. Of a cluster,
// a block runs until none of its threads can go on. Barriers of whole blocks, warps and clusters do
// not wait for threads that have ended.
class ClusterFibers {
 public:
  ClusterFibers();
  ClusterFibers(const ClusterFibers&) = delete;
  ClusterFibers& operator=(const ClusterFibers&) = delete;

  // The blocks have the same shape and kernel. Throws TrialError for what the threads must not do:
  // wait at different barriers of the block, wait for each other so that none can go on, misuse
  // what DeviceCalls has, or use more stack than they have.
  void run(std::span<const ClusterBlock> blocks, void** arguments, ThreadOrder order,
           Together together = Together::cluster);

  // By the thread that runs, as DeviceCalls.
  void sync_block(const char* file, int line);
  void sync_warp(unsigned lanes, const char* file, int line);
  void init_barrier(std::uint64_t* barrier, unsigned arrivals);
  void arrive(std::uint64_t* barrier, unsigned expected_bytes);
  void wait(const std::uint64_t* barrier, unsigned parity);
  void start_box(void* target, const void* map, const int* place, int rank, std::uint64_t* barrier,
                 unsigned blocks);
  void start_pixels(void* target, const void* map, const int* place, const int* offsets, int rank,
                    std::uint64_t* barrier);
  void start_bytes(void* target, const void* source, unsigned bytes, std::uint64_t* barrier,
                   unsigned blocks);
  void store_box(const void* map, const void* source, const int* place, int rank) {
    store(box(map, source, place, rank));
  }
  void store_bytes(void* target, const void* source, unsigned bytes) {
    store(neighbours(target, source, bytes));
  }
  void end_store_group() { stores_[current_].end_group(); }
  void wait_for_stores(int groups) { stores_[current_].wait(static_cast<std::size_t>(groups)); }
  void arrive_at_named_barrier(int number, int threads);
  void wait_at_named_barrier(int number, int threads);
  void sync_cluster();
  int rank_in_cluster();
  void* in_block(const void* own, int rank);
  void sync_grid();
  int is_cooperative() { return together_ == Together::grid ? 1 : 0; }
  void read_texture(TextureHandle texture, const float* at, int dimensions, void* element,
                    unsigned format);
  void fetch_texture(TextureHandle texture, int x, void* element, unsigned format) {
    readable(texture, 0, format).fetch(x, element);
  }
  void exchange(unsigned lanes, const void* value, void* all, unsigned bytes, const char* file,
                int line);

 private:
  // What a thread waits for, and where.
  struct Wait {
    enum class For { nothing, block, warp, phase, named_barrier, cluster } what = For::nothing;
    int number = 0;                          // the line; of a phase its parity; of a named barrier
    const char* file = nullptr;              // block, warp
    const std::uint64_t* barrier = nullptr;  // phase
    unsigned lanes = 0;                      // warp
    const void* value = nullptr;             // warp, if it exchanges values
    void* all = nullptr;
    unsigned bytes = 0;

    // Whether this is a wait for the same lanes, for as much.
    bool meets(const Wait& other) const {
      return what == For::warp && lanes == other.lanes && bytes == other.bytes;
    }
  };
  struct Thread {
    Fiber fiber;
    Index3 index;
    unsigned block = 0;  // its rank in the cluster
    bool has_ended = true;
    Wait wait;
  };
  static constexpr std::size_t kNamedBarriers = 16;
  struct NamedBarrier {
    int threads = 0;
    int arrived = 0;
  };
  struct Block {
    ClusterBlock launched;
    std::size_t live = 0;
    std::size_t waiting = 0;  // at a barrier of the block
    std::array<NamedBarrier, kNamedBarriers> named{};
  };
  // What KernelState::fibers points to.
  struct Handle {
    const DeviceCalls* calls = nullptr;
    ClusterFibers* fibers = nullptr;
  };
  template <auto METHOD>
  struct Call;

  void prepare(std::span<const ClusterBlock> blocks);
  void place_threads(const Index3& shape, std::size_t blocks);
  void rewind() noexcept;
  void shuffle();
  std::uint64_t random();

  bool run_block(std::size_t rank);
  bool run_pass(std::size_t rank);
  bool step(Thread& thread);
  void end(const Thread& thread);
  bool can_go_on(const Thread& thread) const;
  void release_warp(const Thread& thread);
  void wait_for_warp(const Wait& wait);
  bool release_block(std::size_t rank);
  bool release_cluster();
  bool finish_copies();
  void check_divergence(std::size_t rank);
  std::string describe(const Thread& thread);
  std::string describe_waits();
  void check_end() const;
  std::span<Thread> threads_of(std::size_t rank);
  std::span<Thread> warp_of(const Thread& thread);

  // By the thread that runs.
  bool is_now();  // what the thread does not wait for
  void suspend(const Wait& wait);
  void let_others_go_first() {
    if (is_now()) suspend({});
  }
  // Throws TrialError, which Call catches: it ends the run.
  [[noreturn]] void fail(Outcome outcome, const std::string& what) const;
  [[noreturn]] void stop() {  // the thread never goes on
    for (;;) runner_.leave();
  }
  Block& block() { return blocks_[current_->block]; }
  std::string name_of(const std::uint64_t* barrier) const;
  bool is_last_at_named_barrier(int number, int threads);
  void fetch(const BulkCopy& copy, std::uint64_t* barrier, unsigned blocks);
  void fetch_now_or_later(const PendingFetches::Fetch& fetch);
  void store(const BulkCopy& copy);
  const MappedTexture& readable(TextureHandle texture, int dimensions, unsigned format) const;
  BulkCopy box(const void* map, const void* shared, const int* place, int rank,
               const std::optional<BoxPlace>& offsets = {});
  BulkCopy neighbours(const void* global, const void* shared, unsigned bytes);

  static const DeviceCalls kCalls;

  std::vector<Thread> threads_;  // of all blocks; more than run if an earlier launch had more
  std::size_t count_ = 0;        // that run
  std::size_t live_ = 0;
  std::vector<std::uint32_t> shuffled_;
  Index3 shape_;
  std::vector<Block> blocks_;
  Together together_ = Together::cluster;
  void** arguments_ = nullptr;
  ThreadOrder order_ = ThreadOrder::forward;
  std::uint64_t random_ = 1;
  PendingFetches fetches_;
  std::map<const Thread*, PendingStores> stores_;  // of threads that have any
  std::size_t in_warps_ = 0;                       // threads that wait at a barrier of a warp
  FiberRunner runner_;
  Thread* current_ = nullptr;
  std::optional<Failure> failure_;
  Handle handle_;
};

}  // namespace tilewright::host
