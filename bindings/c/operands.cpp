// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "bindings/c/operands.hpp"

#include <fmt/format.h>

#include <string>

#include "bindings/c/request.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {
namespace {

static_assert(static_cast<int>(ElementType::uint8) == TW_UINT8);
static_assert(static_cast<int>(ElementType::int64) == TW_INT64);
static_assert(static_cast<int>(OperandForm::scalar) == TW_SCALAR_BY_VALUE);
static_assert(Operand::kUnknown == TW_ENOUGH);

class OperandReader {
 public:
  OperandReader(const tw_operand& operand, std::size_t place) : operand_(operand), place_(place) {}

  Operand read() const {
    const auto form = static_cast<OperandForm>(operand_.form);
    switch (form) {
      case OperandForm::scalar:
        return Operand::scalar(type(), data_of_scalar());
      case OperandForm::array:
        return Operand::array(type(), operand_.data, operand_.count);
      case OperandForm::read:
      case OperandForm::write: {
        const Operand buffer =
            Operand::buffer(form, type(), const_cast<void*>(operand_.data), operand_.count);
        return operand_.values == nullptr ? buffer : buffer.with_values(operand_.values);
      }
    }
    refuse(fmt::format("form {} is none of tw_form", operand_.form));
  }

 private:
  ElementType type() const {
    const int number = operand_.type;
    if (number < 0 || number > TW_UINT8) refuse(fmt::format("type {} is none of tw_type", number));
    return static_cast<ElementType>(number);
  }

  const void* data_of_scalar() const {
    if (operand_.data == nullptr) refuse("is a scalar whose data is NULL");
    return operand_.data;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("operand {}: {}", place_, why));
  }

  const tw_operand& operand_;
  std::size_t place_;  // from 1
};

}  // namespace

std::vector<Operand> operands_of(const tw_operand* operands, std::size_t count) {
  std::vector<Operand> read;
  read.reserve(count);
  for (std::size_t i = 0; i < count; ++i) read.push_back(OperandReader(operands[i], i + 1).read());
  return read;
}

Scratch scratch_of(const Kernel& kernel, const tw_scratch* scratch) {
  if (scratch == nullptr || scratch->memory == nullptr) return {};
  if (scratch->bytes != TW_ENOUGH && scratch->bytes < kernel.workspace_bytes())
    throw InputError(fmt::format("a launch needs {} bytes of workspace; {} were given",
                                 kernel.workspace_bytes(), scratch->bytes));
  check_enumerator(scratch->state, TW_SCRATCH_READY, "scratch: state", "tw_scratch_state");
  const bool is_ready = scratch->state == TW_SCRATCH_READY;
  return {scratch->memory, is_ready ? Scratch::State::ready : Scratch::State::unknown};
}

}  // namespace tilewright::bindings
