#include "tuner/host/session/operands.hpp"

#include <algorithm>
#include <utility>

#include "tuner/verify/compare.hpp"

namespace tilewright::host {

Operands::Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes)
    : OperandData(std::move(buffers), seed), buffers_(plan().size()) {
  for (std::size_t i = 0; i < plan().size(); ++i) {
    if (!is_buffer(i)) continue;
    buffers_[i] = GuardedBuffer(bytes_of(i), guard_bytes);
    set_memory(i, buffers_[i].data());
  }
  restore();
}

void Operands::keep(std::size_t index) {
  const auto bytes = buffers_[index].bytes();
  set_before(index, {bytes.begin(), bytes.end()});
}

void Operands::prepare() const {
  for (std::size_t i = 0; i < plan().size(); ++i)
    if (has_role(i, ArgumentRole::output)) std::ranges::fill(buffers_[i].bytes(), kPoison);
  restore_inouts();
}

void Operands::repair() const {
  for (std::size_t i = 0; i < plan().size(); ++i)
    if (is_buffer(i)) buffers_[i].fill_guards();
  restore_those_with(ArgumentRole::input);
}

void Operands::restore_those_with(ArgumentRole role) const {
  for (std::size_t i = 0; i < plan().size(); ++i)
    if (has_role(i, role)) std::ranges::copy(before()[i], buffers_[i].data());
}

}  // namespace tilewright::host
