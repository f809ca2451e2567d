#pragma once

#include <cstdint>
#include <vector>

#include "tuner/host/launch/launcher.hpp"
#include "tuner/host/launch/memory.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright::host {

// The arguments of one problem: as they are before a call, and the memory that a call works on.
// Indexed as Operation::arguments.
class Operands {
 public:
  // Throws InputError for a file that does not fit.
  Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes);

  const std::vector<PlannedBuffer>& plan() const { return plan_; }
  const ArgumentData& before() const { return before_; }  // outputs are empty
  const GuardedBuffer& buffer(std::size_t index) const { return buffers_[index]; }

  bool is_buffer(std::size_t index) const { return plan_[index].kind == ArgumentKind::buffer; }
  // An output or inout buffer.
  bool is_written(std::size_t index) const {
    return is_buffer(index) && plan_[index].role != ArgumentRole::input;
  }

  CallOperands call(std::uint8_t* workspace) const { return {pointers_, values_, workspace}; }

  // Poisons the outputs and restores the inouts before a verified call.
  void prepare() const;
  void restore_inouts() const;
  // What the argument's buffer holds now becomes what it is before a call. REQUIRES an input or
  // inout buffer.
  void keep(std::size_t index);

  // Restores inputs and guard zones after a kernel that wrote where it should not.
  void repair() const;

 private:
  void set_value(std::size_t index);
  void restore(std::size_t index) const;

  std::vector<PlannedBuffer> plan_;
  ArgumentData before_;
  std::vector<std::vector<std::uint8_t>> values_;  // as a kernel takes them by value
  std::vector<GuardedBuffer> buffers_;
  std::vector<void*> pointers_;  // null where there is no buffer
};

}  // namespace tilewright::host
