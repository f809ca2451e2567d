#pragma once

#include <cstdint>
#include <vector>

#include "tuner/host/launch/memory.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::host {

// The arguments of one problem with the memory that a call works on.
class Operands : public OperandData {
 public:
  // Throws InputError for a file that does not fit.
  Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes);

  const GuardedBuffer& buffer(std::size_t index) const { return buffers_[index]; }
  BytesOf bytes() const {
    return [this](std::size_t argument) { return buffers_[argument].bytes(); };
  }

  // Poisons the outputs and restores the inouts before a verified call.
  void prepare() const;
  void restore_inouts() const { restore_those_with(ArgumentRole::inout); }
  // What the argument's buffer holds now becomes what it is before a call. REQUIRES an input or
  // inout buffer.
  void keep(std::size_t index);

  // Restores inputs and guard zones after a kernel that wrote where it should not.
  void repair() const;
  void restore() const {  // all of it
    repair();
    prepare();
  }

 private:
  void restore_those_with(ArgumentRole role) const;

  std::vector<GuardedBuffer> buffers_;
};

}  // namespace tilewright::host
