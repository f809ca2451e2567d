#include "tuner/host/threads/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#ifdef TILEWRIGHT_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace tilewright::host {
namespace {

using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t kStagger = 64;
constexpr std::size_t kStaggers = 32;
constexpr std::uint64_t kCanary = 0x7469'6c65'7772'6967;

// The system gives a page of it only when it is touched.
void* new_stack() {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const bottom = mmap(nullptr, Fiber::kStackBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (bottom == MAP_FAILED) throw std::bad_alloc();
  std::memcpy(bottom, &kCanary, sizeof kCanary);
  return bottom;
}

// Fibers end inside their frames, so the red zones of these frames would stay.
void forget_frames([[maybe_unused]] void* stack) {
#ifdef TILEWRIGHT_ASAN
  __asan_unpoison_memory_region(stack, Fiber::kStackBytes);
#endif
}

}  // namespace

struct FiberRunner::Start {
  // A fiber never returns. When its function has returned, it runs the next one.
  static void run(transfer_t from) {
    auto& self = *static_cast<FiberRunner*>(from.data);
    self.context_ = from.fctx;
    self.arrive();
    for (;;) {
      self.function_(self.argument_);
      self.leave();
    }
  }
};

Fiber::Fiber() : stack_(new_stack()) {}

Fiber::Fiber(Fiber&& other) noexcept
    : stack_(std::exchange(other.stack_, nullptr)),
      used_bytes_(other.used_bytes_),
      context_(other.context_),
      fake_stack_(other.fake_stack_) {}

Fiber::~Fiber() {
  if (stack_ == nullptr) return;
  forget_frames(stack_);
  munmap(stack_, kStackBytes);
}

void Fiber::rewind(std::size_t number) noexcept {
  forget_frames(stack_);
  fake_stack_ = nullptr;
  used_bytes_ = kStackBytes - number % kStaggers * kStagger;
  context_ = make_fcontext(static_cast<std::uint8_t*>(stack_) + used_bytes_, used_bytes_,
                           &FiberRunner::Start::run);
}

bool Fiber::has_whole_stack() const {
  return std::memcmp(stack_, &kCanary, sizeof kCanary) == 0;
}

}  // namespace tilewright::host
