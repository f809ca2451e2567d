#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/host/launch/module.hpp"

namespace tilewright::host {

// The order in which a block's threads run from one barrier to the next.
enum class ThreadOrder { forward, reverse, shuffled };

// Two threads of a block that waited at different barriers.
struct DivergentBarrier {
  Index3 first_thread, second_thread;
  std::string first_place, second_place;  // "tiled.cu:12"
};

// Runs the threads of a block as fibers of the calling thread. Each fiber runs until it ends or
// waits at a barrier; this repeats until all have ended. A barrier does not wait for a thread that
// has ended.
class BlockFibers {
 public:
  BlockFibers();
  ~BlockFibers();
  BlockFibers(const BlockFibers&) = delete;
  BlockFibers& operator=(const BlockFibers&) = delete;

  // Runs one block, whose index and shape are in `state`. Stops at a divergent barrier and returns
  // it. Throws TrialError if a thread used more stack than it has.
  std::optional<DivergentBarrier> run(EntryFunction entry, void** arguments, KernelState& state,
                                      ThreadOrder order);

 private:
  struct Fiber;
  struct Switching;

  void prepare(std::size_t threads, KernelState& state);
  void rewind(std::size_t first) noexcept;
  void place_threads(const Index3& shape);
  void shuffle(std::size_t threads);
  std::size_t run_phase(std::size_t threads, ThreadOrder order);
  std::optional<DivergentBarrier> find_divergence(std::size_t threads) const;
  void check_stacks(std::size_t threads) const;

  std::vector<Fiber> fibers_;
  std::vector<std::uint32_t> shuffled_;
  std::uint64_t random_ = 1;
  Index3 shape_;
  std::unique_ptr<Switching> switching_;
};

}  // namespace tilewright::host
