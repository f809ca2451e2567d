#include "tuner/host/session/operands.hpp"

#include <algorithm>
#include <utility>

#include "tuner/verify/compare.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright::host {

Operands::Operands(std::vector<PlannedBuffer> buffers, std::uint64_t seed, std::int64_t guard_bytes)
    : plan_(std::move(buffers)),
      before_(plan_.size()),
      values_(plan_.size()),
      buffers_(plan_.size()),
      pointers_(plan_.size(), nullptr) {
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const PlannedBuffer& plan = plan_[i];
    if (plan.role != ArgumentRole::output)
      before_[i] = fill_buffer(plan, static_cast<int>(i), seed);
    const std::size_t element = size_of(plan.type);
    if (is_buffer(i)) {
      set_value(i);
      buffers_[i] = GuardedBuffer(plan.count * static_cast<std::int64_t>(element), guard_bytes);
      pointers_[i] = buffers_[i].data();
    } else {
      values_[i] = before_[i];
      // An array is passed as a struct with its whole capacity.
      if (plan.kind == ArgumentKind::array)
        values_[i].resize(static_cast<std::size_t>(plan.capacity) * element);
    }
  }
  repair();
  prepare();
}

// Small inputs may be passed by value.
void Operands::set_value(std::size_t index) {
  if (plan_[index].role == ArgumentRole::input &&
      before_[index].size() <= static_cast<std::size_t>(kMostParameterBytes))
    values_[index] = before_[index];
}

void Operands::keep(std::size_t index) {
  const auto bytes = buffers_[index].bytes();
  before_[index].assign(bytes.begin(), bytes.end());
  set_value(index);
}

void Operands::prepare() const {
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (is_buffer(i) && plan_[i].role == ArgumentRole::output)
      std::ranges::fill(buffers_[i].bytes(), kPoison);
  restore_inouts();
}

void Operands::restore_inouts() const {
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (is_buffer(i) && plan_[i].role == ArgumentRole::inout) restore(i);
}

void Operands::repair() const {
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    if (!is_buffer(i)) continue;
    buffers_[i].fill_guards();
    if (plan_[i].role == ArgumentRole::input) restore(i);
  }
}

void Operands::restore(std::size_t index) const {
  std::ranges::copy(before_[index], buffers_[index].data());
}

}  // namespace tilewright::host
