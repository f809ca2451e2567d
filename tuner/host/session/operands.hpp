#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tuner/host/launch/memory.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::host {

// The arguments of one problem with the memory that a call works on.
class Operands : public OperandData {
 public:
  // Throws InputError for a file that does not fit.
  Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes)
      : OperandData(std::move(buffers), seed), buffers_(plan().size()) {
    for (std::size_t i = 0; i < plan().size(); ++i) {
      if (!is_buffer(i)) continue;
      buffers_[i] = GuardedBuffer(bytes_of(i), guard_bytes);
      set_memory(i, buffers_[i].data());
    }
    restore();
  }

  const GuardedBuffer& buffer(std::size_t index) const { return buffers_[index]; }
  BytesOf bytes() const {
    return [this](std::size_t argument) { return buffers_[argument].bytes(); };
  }

  // Poisons the outputs and restores the inouts before a verified call.
  void prepare() const {
    for (std::size_t i = 0; i < plan().size(); ++i)
      if (has_role(i, ArgumentRole::output)) std::ranges::fill(buffers_[i].bytes(), kPoison);
    restore_inouts();
  }
  void restore_inouts() const { restore_those_with(ArgumentRole::inout); }
  // What the argument's buffer holds now becomes what it is before a call. REQUIRES an input or
  // inout buffer.
  void keep(std::size_t index) {
    const auto bytes = buffers_[index].bytes();
    set_before(index, {bytes.begin(), bytes.end()});
  }

  // Restores inputs and guard zones after a kernel that wrote where it should not.
  void repair() const {
    for (std::size_t i = 0; i < plan().size(); ++i)
      if (is_buffer(i)) buffers_[i].fill_guards();
    restore_those_with(ArgumentRole::input);
  }
  void restore() const {  // all of it
    repair();
    prepare();
  }

 private:
  void restore_those_with(ArgumentRole role) const {
    for (std::size_t i = 0; i < plan().size(); ++i)
      if (has_role(i, role)) std::ranges::copy(before()[i], buffers_[i].data());
  }

  std::vector<GuardedBuffer> buffers_;
};

}  // namespace tilewright::host
