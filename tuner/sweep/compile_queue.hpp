#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/backend/compiler.hpp"
#include "tuner/sweep/timeline.hpp"

namespace tilewright {

// Where compiles happen: a CompilePool, or a fake in tests.
class CompileQueue {
 public:
  struct Done {
    std::size_t ticket = 0;
    CompileResult result;
    Span span = {};  // when a process worked on it
  };
  virtual ~CompileQueue() = default;
  virtual void submit(std::size_t ticket, CompileRequest request) = 0;
  virtual std::optional<Done> next(std::chrono::milliseconds limit) = 0;
  // Drops everything that was submitted, so that it gives no result. Returns at which moments the
  // running compiles began.
  virtual std::vector<Moment> withdraw() = 0;
  virtual int processes() const = 0;
};

}  // namespace tilewright
