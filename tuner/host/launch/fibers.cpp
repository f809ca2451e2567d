#include "tuner/host/launch/fibers.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "tuner/backend/evaluator.hpp"
#include "tuner/host/compile/sanitizers.hpp"

#ifdef TILEWRIGHT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilewright::host {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// A sanitizer writes its report on the stack of the thread that made the mistake.
constexpr std::size_t kStackBytes = kSanitized ? 256 << 10 : 64 << 10;
// Stacks begin at different cache sets, because equal offsets in all of them would evict each
// other.
constexpr std::size_t kStagger = 64;
constexpr std::size_t kStaggers = 32;
constexpr std::uint64_t kCanary = 0x7469'6c65'7772'6967;

// The system gives a page of it only when it is touched.
class Stack {
 public:
  Stack() : bottom_(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0)) {
    if (bottom_ == MAP_FAILED) throw std::bad_alloc();
    std::memcpy(bottom_, &kCanary, sizeof kCanary);
  }
  Stack(Stack&& other) noexcept : bottom_(std::exchange(other.bottom_, MAP_FAILED)) {}
  Stack& operator=(Stack&&) = delete;
  ~Stack() {
    if (bottom_ == MAP_FAILED) return;
#ifdef TILEWRIGHT_ASAN
    // Fibers end inside their frames, so the red zones of these frames would stay.
    __asan_unpoison_memory_region(bottom_, kStackBytes);
#endif
    munmap(bottom_, kStackBytes);
  }
  void* bottom() const {
    return bottom_;
  }
  bool is_whole() const {
    return std::memcmp(bottom_, &kCanary, sizeof kCanary) == 0;
  }

 private:
  static constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* bottom_;
};

std::string place(const char* file, int line) {
  return fmt::format("{}:{}", file, line);
}

}  // namespace

struct BlockFibers::Fiber {
  Stack stack;
  std::size_t stack_bytes = kStackBytes;
  fcontext_t context = nullptr;
  void* fake_stack = nullptr;  // the address sanitizer's
  Index3 index;
  bool has_ended = true;
  const char* file = nullptr;  // of the barrier it waits at
  int line = 0;
};

// Switches between the thread that runs the block and its fibers.
struct BlockFibers::Switching {
  EntryFunction entry = nullptr;
  void** arguments = nullptr;
  KernelState* state = nullptr;
  Fiber* current = nullptr;
  fcontext_t runner = nullptr;
  const void* runner_stack = nullptr;
  std::size_t runner_stack_bytes = 0;

  void resume(Fiber& fiber) {
    current = &fiber;
    state->thread = fiber.index;
#ifdef TILEWRIGHT_ASAN
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, fiber.stack.bottom(), fiber.stack_bytes);
#endif
    fiber.context = jump_fcontext(fiber.context, this).fctx;
#ifdef TILEWRIGHT_ASAN
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  }

  void suspend() {
#ifdef TILEWRIGHT_ASAN
    __sanitizer_start_switch_fiber(&current->fake_stack, runner_stack, runner_stack_bytes);
#endif
    runner = jump_fcontext(runner, nullptr).fctx;
    arrive();
  }

  // A fiber calls it first after each switch to it.
  void arrive() noexcept {
#ifdef TILEWRIGHT_ASAN
    __sanitizer_finish_switch_fiber(current->fake_stack, &runner_stack, &runner_stack_bytes);
#endif
  }

  static void at_barrier(void* self, const char* file, int line) {
    auto& switching = *static_cast<Switching*>(self);
    switching.current->file = file;
    switching.current->line = line;
    switching.suspend();
  }

  // A fiber never returns. When its thread has ended, it runs a thread of the next block.
  static void run_fiber(transfer_t from) {
    auto& self = *static_cast<Switching*>(from.data);
    self.runner = from.fctx;
    self.arrive();
    for (;;) {
      self.entry(self.arguments);
      self.current->has_ended = true;
      self.suspend();
    }
  }
};

BlockFibers::BlockFibers() : switching_(std::make_unique<Switching>()) {}
BlockFibers::~BlockFibers() = default;

std::optional<DivergentBarrier> BlockFibers::run(EntryFunction entry, void** arguments,
                                                 KernelState& state, ThreadOrder order) {
  const Index3& shape = state.block_dim;
  const std::size_t threads = std::size_t{shape.x} * shape.y * shape.z;
  switching_->entry = entry;
  switching_->arguments = arguments;
  prepare(threads, state);
  while (run_phase(threads, order) > 0) {
    if (auto divergence = find_divergence(threads)) {
      rewind(0);
      return divergence;
    }
  }
  check_stacks(threads);
  return std::nullopt;
}

void BlockFibers::prepare(std::size_t threads, KernelState& state) {
  switching_->state = &state;
  state.barrier = &Switching::at_barrier;
  state.fibers = switching_.get();
  if (const std::size_t first = fibers_.size(); first < threads) {
    fibers_.resize(threads);
    rewind(first);
    shape_ = {};
  }
  const Index3& shape = state.block_dim;
  if (shape.x != shape_.x || shape.y != shape_.y || shape.z != shape_.z) place_threads(shape);
  for (std::size_t i = 0; i < threads; ++i) fibers_[i].has_ended = false;
}

// Makes the fibers from number `first` on start again, wherever they are.
void BlockFibers::rewind(std::size_t first) noexcept {
  for (std::size_t i = first; i < fibers_.size(); ++i) {
    Fiber& fiber = fibers_[i];
#ifdef TILEWRIGHT_ASAN
    __asan_unpoison_memory_region(fiber.stack.bottom(), kStackBytes);
#endif
    fiber.fake_stack = nullptr;
    fiber.stack_bytes = kStackBytes - i % kStaggers * kStagger;
    fiber.context =
        make_fcontext(static_cast<std::uint8_t*>(fiber.stack.bottom()) + fiber.stack_bytes,
                      fiber.stack_bytes, &Switching::run_fiber);
  }
}

void BlockFibers::place_threads(const Index3& shape) {
  shape_ = shape;
  std::size_t i = 0;
  for (unsigned z = 0; z < shape.z; ++z)
    for (unsigned y = 0; y < shape.y; ++y)
      for (unsigned x = 0; x < shape.x; ++x) fibers_[i++].index = {x, y, z};
  shuffled_.resize(i);
  std::iota(shuffled_.begin(), shuffled_.end(), 0U);
}

// Fisher and Yates with a xorshift generator, so that the order is the same on every machine.
void BlockFibers::shuffle(std::size_t threads) {
  for (std::size_t i = threads; i > 1; --i) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    std::swap(shuffled_[i - 1], shuffled_[random_ % i]);
  }
}

// Returns how many threads have not ended.
std::size_t BlockFibers::run_phase(std::size_t threads, ThreadOrder order) {
  std::size_t live = 0;
  const auto step = [&](Fiber& fiber) {
    if (fiber.has_ended) return;
    switching_->resume(fiber);
    if (!fiber.has_ended) ++live;
  };
  switch (order) {
    case ThreadOrder::forward:
      for (std::size_t i = 0; i < threads; ++i) step(fibers_[i]);
      break;
    case ThreadOrder::reverse:
      for (std::size_t i = threads; i > 0; --i) step(fibers_[i - 1]);
      break;
    case ThreadOrder::shuffled:
      shuffle(threads);
      for (const std::uint32_t i : shuffled_) step(fibers_[i]);
      break;
  }
  return live;
}

std::optional<DivergentBarrier> BlockFibers::find_divergence(std::size_t threads) const {
  const Fiber* first = nullptr;
  for (std::size_t i = 0; i < threads; ++i) {
    const Fiber& fiber = fibers_[i];
    if (fiber.has_ended) continue;
    if (first == nullptr) first = &fiber;
    if (fiber.line == first->line &&
        (fiber.file == first->file || std::strcmp(fiber.file, first->file) == 0))
      continue;
    return DivergentBarrier{first->index, fiber.index, place(first->file, first->line),
                            place(fiber.file, fiber.line)};
  }
  return std::nullopt;
}

void BlockFibers::check_stacks(std::size_t threads) const {
  for (std::size_t i = 0; i < threads; ++i)
    if (!fibers_[i].stack.is_whole())
      throw TrialError(
          Outcome::launch_failed,
          fmt::format("a thread needs more than its {} KiB of stack", kStackBytes >> 10));
}

}  // namespace tilewright::host
