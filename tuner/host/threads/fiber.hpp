#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "tuner/host/compile/sanitizers.hpp"

#ifdef TILEWRIGHT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilewright::host {

// A stack on which a FiberRunner runs one function after another.
class Fiber {
 public:
  // A sanitizer writes its report on the stack of the thread that made the mistake.
  static constexpr std::size_t kStackBytes = kSanitized ? 256 << 10 : 64 << 10;

  Fiber();  // must be rewound before it is entered; throws std::bad_alloc
  ~Fiber();
  Fiber(Fiber&&) noexcept;
  Fiber& operator=(Fiber&&) = delete;

  // Makes the fiber start again, wherever it is. Fibers with different numbers begin at different
  // cache sets, because equal offsets in all stacks would evict each other.
  void rewind(std::size_t number) noexcept;

  // Whether its functions never used more stack than there is.
  bool has_whole_stack() const;

 private:
  friend class FiberRunner;

  void* stack_ = nullptr;  // its lowest byte
  std::size_t used_bytes_ = 0;
  boost::context::detail::fcontext_t context_ = nullptr;
  void* fake_stack_ = nullptr;  // the address sanitizer's
};

// The thread that runs fibers, in turn with its own work. A function may stop in the middle and go
// on later. Its functions are inline, because a return after a switch of stacks is mispredicted.
class FiberRunner {
 public:
  // Goes on with the fiber's function, or begins this one. Returns when it calls leave() or
  // returns.
  void enter(Fiber& fiber, void (*function)(void*), void* argument);
  // By the function: back to enter(). Returns when the fiber is entered again.
  void leave();

 private:
  friend class Fiber;
  struct Start;

  void arrive() noexcept;

  Fiber* current_ = nullptr;
  boost::context::detail::fcontext_t context_ = nullptr;  // of this thread
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  const void* stack_ = nullptr;  // of this thread, as the address sanitizer knows it
  std::size_t stack_bytes_ = 0;
};

inline void FiberRunner::enter(Fiber& fiber, void (*function)(void*), void* argument) {
  current_ = &fiber;
  function_ = function;
  argument_ = argument;
#ifdef TILEWRIGHT_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, fiber.stack_, fiber.used_bytes_);
#endif
  fiber.context_ = boost::context::detail::jump_fcontext(fiber.context_, this).fctx;
#ifdef TILEWRIGHT_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

inline void FiberRunner::leave() {
#ifdef TILEWRIGHT_ASAN
  __sanitizer_start_switch_fiber(&current_->fake_stack_, stack_, stack_bytes_);
#endif
  context_ = boost::context::detail::jump_fcontext(context_, nullptr).fctx;
  arrive();
}

// By a fiber, first after each switch to it.
inline void FiberRunner::arrive() noexcept {
#ifdef TILEWRIGHT_ASAN
  __sanitizer_finish_switch_fiber(current_->fake_stack_, &stack_, &stack_bytes_);
#endif
}

}  // namespace tilewright::host
