#include "tuner/host/launch/fiber.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <cstring>
#include <new>

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
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
    forget_frames();
    munmap(bottom_, kStackBytes);
  }
  void* bottom() const { return bottom_; }
  bool is_whole() const { return std::memcmp(bottom_, &kCanary, sizeof kCanary) == 0; }

  // Fibers end inside their frames, so the red zones of these frames would stay.
  void forget_frames() const {
#ifdef TILEWRIGHT_ASAN
    __asan_unpoison_memory_region(bottom_, kStackBytes);
#endif
  }

 private:
  static constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* bottom_;
};

}  // namespace

struct Fiber::State {
  Stack stack;
  std::size_t stack_bytes = kStackBytes;
  fcontext_t context = nullptr;
  void* fake_stack = nullptr;  // the address sanitizer's
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  // Of the thread that entered.
  fcontext_t owner = nullptr;
  const void* owner_stack = nullptr;
  std::size_t owner_stack_bytes = 0;

  // First after each switch to the fiber.
  void arrive() noexcept {
#ifdef TILEWRIGHT_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, &owner_stack, &owner_stack_bytes);
#endif
  }

  void leave() {
#ifdef TILEWRIGHT_ASAN
    __sanitizer_start_switch_fiber(&fake_stack, owner_stack, owner_stack_bytes);
#endif
    owner = jump_fcontext(owner, nullptr).fctx;
    arrive();
  }

  // A fiber never returns. When its function has returned, it runs the next one.
  static void run(transfer_t from) {
    auto& self = *static_cast<State*>(from.data);
    self.owner = from.fctx;
    self.arrive();
    for (;;) {
      self.function(self.argument);
      self.leave();
    }
  }
};

Fiber::Fiber() : state_(std::make_unique<State>()) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;

void Fiber::rewind(std::size_t number) noexcept {
  State& state = *state_;
  state.stack.forget_frames();
  state.fake_stack = nullptr;
  state.stack_bytes = kStackBytes - number % kStaggers * kStagger;
  state.context =
      make_fcontext(static_cast<std::uint8_t*>(state.stack.bottom()) + state.stack_bytes,
                    state.stack_bytes, &State::run);
}

void Fiber::enter(void (*function)(void*), void* argument) {
  State& state = *state_;
  state.function = function;
  state.argument = argument;
#ifdef TILEWRIGHT_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, state.stack.bottom(), state.stack_bytes);
#endif
  state.context = jump_fcontext(state.context, &state).fctx;
#ifdef TILEWRIGHT_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fiber::leave() {
  state_->leave();
}

bool Fiber::has_whole_stack() const {
  return state_->stack.is_whole();
}

std::size_t Fiber::stack_bytes() {
  return kStackBytes;
}

}  // namespace tilewright::host
