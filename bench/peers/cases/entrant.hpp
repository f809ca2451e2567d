#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tuner/cuda/libraries/shared_library.hpp"

namespace tilewright::bench {

// Why something takes no part: its library is missing, or it cannot compute the case. what() is the
// text for the table.
using CannotCompete = cuda::LibraryError;

// One way to compute a problem. Everything that its calls need is already allocated.
class Entrant {
 public:
  virtual ~Entrant() = default;

  // Enqueues one call on one set of operands: device pointers, indexed as the operation's
  // arguments. It may be captured into a graph. Throws TrialError, or CannotCompete for a library's
  // own error.
  virtual void call(std::span<void* const> operands, cudaStream_t stream) = 0;

  // Configuration, algorithm or version, as text for the table.
  virtual std::string how() const = 0;
};

// A library that computes a problem in several ways, one of which is chosen for the calls that
// follow.
class VariedEntrant : public Entrant {
 public:
  virtual std::size_t variants() const = 0;
  virtual void choose(std::size_t variant) = 0;
};

class Field;

// An entrant with the operands that it computes on.
struct Corner {
  std::shared_ptr<const Field> field;
  std::unique_ptr<Entrant> entrant;
};

}  // namespace tilewright::bench
