#pragma once

#include <cstddef>
#include <memory>

namespace tilewright::host {

// Runs one function after another on a stack of its own, in turn with the thread that owns it. The
// function may stop in the middle and go on later.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(Fiber&&) noexcept;
  Fiber& operator=(Fiber&&) = delete;

  // Makes the fiber start again, wherever it is. Fibers with different numbers begin at different
  // cache sets, because equal offsets in all stacks would evict each other.
  void rewind(std::size_t number) noexcept;

  // Goes on with the function where the fiber is, or begins it. Returns when the function calls
  // leave() or returns.
  void enter(void (*function)(void*), void* argument);
  // By the function: back to enter(). Returns at the next enter().
  void leave();

  // Whether the function never used more stack than there is.
  bool has_whole_stack() const;
  static std::size_t stack_bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright::host
