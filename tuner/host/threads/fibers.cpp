#include "tuner/host/threads/fibers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace tilewright::host {
namespace {

std::string text(const Index3& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

std::size_t threads_in(const Index3& shape) {
  return std::size_t{shape.x} * shape.y * shape.z;
}

}  // namespace

ClusterFibers::ClusterFibers() : handle_{&kCalls, this} {}

void ClusterFibers::sync_block(const char* file, int line) {
  ++block().waiting;
  current_->wait.what = Wait::For::block;  // the others of its members are of no meaning
  current_->wait.file = file;
  current_->wait.number = line;
  runner_.leave();
}

void ClusterFibers::run(std::span<const ClusterBlock> blocks, void** arguments, ThreadOrder order,
                        Together together) {
  arguments_ = arguments;
  together_ = together;
  order_ = order;
  prepare(blocks);
  while (live_ > 0 && !failure_) {
    const std::size_t first = order == ThreadOrder::shuffled ? random() % blocks_.size() : 0;
    bool has_run = false;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t rank = (first + i) % blocks_.size();
      has_run =
          run_block(order == ThreadOrder::reverse ? blocks_.size() - 1 - rank : rank) || has_run;
    }
    if (!failure_ && !has_run && !release_cluster() && !finish_copies())
      failure_ =
          Failure{Outcome::launch_failed, "deadlock: no thread can go on: " + describe_waits()};
  }
  if (failure_) {
    rewind();
    throw TrialError(*std::exchange(failure_, std::nullopt));
  }
  check_end();
}

void ClusterFibers::prepare(std::span<const ClusterBlock> blocks) {
  const Index3& shape = blocks.front().state->block_dim;
  const std::size_t in_block = threads_in(shape);
  blocks_.resize(blocks.size());
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    blocks_[rank] = Block{blocks[rank], in_block, 0, {}};
    KernelState& state = *blocks[rank].state;
    state.fibers = &handle_;
    state.barrier = [](void* fibers, const char* file, int line) {
      static_cast<Handle*>(fibers)->fibers->sync_block(file, line);
    };
  }
  if (threads_.size() < in_block * blocks.size()) {
    threads_.resize(in_block * blocks.size());
    rewind();
  }
  if (shape.x != shape_.x || shape.y != shape_.y || shape.z != shape_.z ||
      count_ != in_block * blocks.size())
    place_threads(shape, blocks.size());
  live_ = count_;
  fetches_.clear();
  stores_.clear();
  in_warps_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    threads_[i].has_ended = false;
    threads_[i].wait.what = Wait::For::nothing;
  }
}

void ClusterFibers::place_threads(const Index3& shape, std::size_t blocks) {
  shape_ = shape;
  count_ = 0;
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned z = 0; z < shape.z; ++z)
      for (unsigned y = 0; y < shape.y; ++y)
        for (unsigned x = 0; x < shape.x; ++x) {
          threads_[count_].index = {x, y, z};
          threads_[count_++].block = block;
        }
  shuffled_.resize(threads_in(shape));
  std::iota(shuffled_.begin(), shuffled_.end(), 0U);
}

// Makes all threads start again, wherever they are.
void ClusterFibers::rewind() noexcept {
  for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].fiber.rewind(i);
}

// A xorshift generator, so that the order is the same on every machine.
std::uint64_t ClusterFibers::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

// Fisher and Yates.
void ClusterFibers::shuffle() {
  for (std::size_t i = shuffled_.size(); i > 1; --i)
    std::swap(shuffled_[i - 1], shuffled_[random() % i]);
}

// Runs the threads of a block until none of them can go on. Returns whether one could.
bool ClusterFibers::run_block(std::size_t rank) {
  bool has_run = false;
  for (bool goes_on = true; goes_on && !failure_; has_run = has_run || goes_on) {
    goes_on = run_pass(rank);
    goes_on = release_block(rank) || goes_on;
  }
  return has_run;
}

// Runs every thread that can go on until it waits or ends. Returns whether there was one.
bool ClusterFibers::run_pass(std::size_t rank) {
  const std::span<Thread> threads = threads_of(rank);
  bool has_run = false;
  if (order_ == ThreadOrder::shuffled) shuffle();
  for (std::size_t i = 0; i < threads.size() && !failure_; ++i) {
    const std::size_t place = order_ == ThreadOrder::reverse    ? threads.size() - 1 - i
                              : order_ == ThreadOrder::shuffled ? shuffled_[i]
                                                                : i;
    has_run = step(threads[place]) || has_run;
  }
  return has_run;
}

bool ClusterFibers::step(Thread& thread) {
  if (thread.has_ended || !can_go_on(thread)) return false;
  thread.wait.what = Wait::For::nothing;
  current_ = &thread;
  KernelState& state = *block().launched.state;
  state.thread = thread.index;
  runner_.enter(
      thread.fiber,
      [](void* self) {
        auto& fibers = *static_cast<ClusterFibers*>(self);
        fibers.block().launched.entry(fibers.arguments_);
        fibers.current_->has_ended = true;
      },
      this);
  if (thread.has_ended) end(thread);
  return true;
}

void ClusterFibers::end(const Thread& thread) {
  --live_;
  --block().live;
  if (!stores_.empty()) stores_.erase(&thread);  // what it did not wait for is lost
  if (in_warps_ > 0) release_warp(thread);
}

bool ClusterFibers::can_go_on(const Thread& thread) const {
  if (thread.wait.what != Wait::For::phase) return thread.wait.what == Wait::For::nothing;
  const auto word = BarrierWord::from_bits(*thread.wait.barrier);
  return !word || static_cast<int>(word->parity) !=
                      thread.wait.number;  // without a word it finds that out itself
}

std::span<ClusterFibers::Thread> ClusterFibers::threads_of(std::size_t rank) {
  const std::size_t in_block = count_ / blocks_.size();
  return std::span(threads_).subspan(rank * in_block, in_block);
}

std::span<ClusterFibers::Thread> ClusterFibers::warp_of(const Thread& thread) {
  const std::span<Thread> all = threads_of(thread.block);
  const auto number = static_cast<std::size_t>(&thread - all.data());
  const std::size_t first = number / kWarpSize * kWarpSize;
  return all.subspan(first, std::min(kWarpSize, all.size() - first));
}

// Lets those of the thread's warp go on whose lanes all wait with the same lanes, or have ended.
// Those that exchange values have them then. A thread that waits completes only its own lanes.
void ClusterFibers::release_warp(const Thread& thread) {
  const std::span<Thread> warp = warp_of(thread);
  for (const Thread& one : warp) {
    if (one.wait.what != Wait::For::warp || (&one != &thread && !thread.has_ended)) continue;
    const Wait wait = one.wait;
    unsigned there = 0;
    bool all_there = true;
    for (unsigned lane = 0; lane < warp.size() && all_there; ++lane) {
      if ((wait.lanes >> lane & 1) == 0) continue;
      const Thread& other = warp[lane];
      if (other.has_ended && wait.bytes > 0)
        failure_ = Failure{
            Outcome::launch_failed,
            fmt::format("at line {}:{} the mask {:#010x} names lane {}, whose thread {} has ended",
                        wait.file, wait.number, wait.lanes, lane, text(other.index))};
      if (!other.has_ended) there |= 1U << lane;
      all_there = other.has_ended || other.wait.meets(wait);
    }
    if (!all_there || failure_) continue;
    const auto each = [there, &warp](const auto& visit) {
      for (unsigned rest = there; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        visit(lane, warp[lane].wait);
      }
    };
    if (wait.bytes > 0)
      each([&](unsigned from, const Wait& given) {
        each([&](unsigned, const Wait& taken) {
          std::memcpy(static_cast<char*>(taken.all) + from * wait.bytes, given.value, wait.bytes);
        });
      });
    each([&](unsigned, Wait& done) { done.what = Wait::For::nothing; });
    in_warps_ -= static_cast<std::size_t>(std::popcount(there));
  }
}

// Lets the threads go on if all wait at a barrier of the block. Returns whether they do.
bool ClusterFibers::release_block(std::size_t rank) {
  Block& block = blocks_[rank];
  if (block.live == 0 || block.waiting < block.live) return false;
  check_divergence(rank);
  for (Thread& thread : threads_of(rank)) thread.wait.what = Wait::For::nothing;
  block.waiting = 0;
  return true;
}

bool ClusterFibers::release_cluster() {
  if (live_ == 0) return false;
  const std::span<Thread> all = std::span(threads_).first(count_);
  const bool all_wait = std::ranges::all_of(all, [](const Thread& thread) {
    return thread.has_ended || thread.wait.what == Wait::For::cluster;
  });
  if (!all_wait) return false;
  for (Thread& thread : all) thread.wait.what = Wait::For::nothing;
  return true;
}

// Returns whether there was a copy on its way.
bool ClusterFibers::finish_copies() {
  if (fetches_.empty()) return false;
  if (const auto error = fetches_.finish_some())
    failure_ = Failure{Outcome::launch_failed, "the barrier of a bulk copy " + *error};
  return true;
}

void ClusterFibers::check_divergence(std::size_t rank) {
  const Thread* first = nullptr;
  for (const Thread& thread : threads_of(rank)) {
    if (thread.has_ended) continue;
    if (first == nullptr) first = &thread;
    const Wait& wait = thread.wait;
    if (wait.number == first->wait.number &&
        (wait.file == first->wait.file || std::strcmp(wait.file, first->wait.file) == 0))
      continue;
    failure_ = Failure{
        Outcome::launch_failed,
        fmt::format("divergent barrier at lines {}:{} and {}:{}: threads {} and {} of a block "
                    "wait there",
                    first->wait.file, first->wait.number, wait.file, wait.number,
                    text(first->index), text(thread.index))};
    return;
  }
}

std::string ClusterFibers::describe(const Thread& thread) {
  const Wait& wait = thread.wait;
  switch (wait.what) {
    case Wait::For::nothing:
      return "nothing";
    case Wait::For::block:
      return fmt::format("its block at line {}:{}", wait.file, wait.number);
    case Wait::For::warp:
      for (std::size_t lane = 0; const Thread& other : warp_of(thread)) {
        if ((wait.lanes >> lane & 1) != 0 && !other.has_ended && !other.wait.meets(wait))
          return fmt::format("its warp at line {}:{}, where lane {} does not come", wait.file,
                             wait.number, lane);
        ++lane;
      }
      return "its warp";
    case Wait::For::named_barrier: {
      const auto& named = blocks_[thread.block].named.at(static_cast<std::size_t>(wait.number));
      return fmt::format("the named barrier {}, where {} of {} threads have arrived", wait.number,
                         named.arrived, named.threads);
    }
    case Wait::For::cluster:
      return together_ == Together::grid ? "its grid" : "its cluster";
    case Wait::For::phase:
      break;
  }
  const auto word = BarrierWord::from_bits(*wait.barrier).value_or(BarrierWord{});
  return fmt::format(
      "the end of a phase of parity {} of {}, which lacks {} of {} arrivals and {} bytes",
      wait.number, name_of(wait.barrier), word.missing, word.arrivals, word.missing_bytes);
}

// Of the first thread for each thing that is waited for.
std::string ClusterFibers::describe_waits() {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> known;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < count_ && parts.size() < kMost; ++i) {
    const Thread& thread = threads_[i];
    if (thread.has_ended) continue;
    std::string what = describe(thread);
    if (std::ranges::find(known, what) != known.end()) continue;
    const std::string owner = blocks_.size() == 1
                                  ? ""
                                  : fmt::format(" of block {} of the {}", thread.block,
                                                together_ == Together::grid ? "grid" : "cluster");
    parts.push_back(fmt::format("thread {}{} waits for {}", text(thread.index), owner, what));
    known.push_back(std::move(what));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void ClusterFibers::check_end() const {
  for (std::size_t i = 0; i < count_; ++i)
    if (!threads_[i].fiber.has_whole_stack())
      refuse_launch(
          fmt::format("a thread needs more than its {} KiB of stack", Fiber::kStackBytes >> 10));
  if (!fetches_.empty())
    refuse_launch("a block ended before a bulk copy to its shared memory; nobody waited for it");
}

}  // namespace tilewright::host
