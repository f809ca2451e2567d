// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

namespace tilewright::bindings {
namespace {

static_assert(static_cast<int>(ElementType::uint8) == TW_UINT8);
static_assert(static_cast<int>(ElementType::int64) == TW_INT64);
static_assert(static_cast<int>(ArgumentKind::array) == TW_ARRAY);
static_assert(static_cast<int>(ArgumentRole::inout) == TW_INOUT);
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

Scratch scratch_of(const Kernel& kernel, const tw_scratch* scratch) {
  if (scratch == nullptr || scratch->memory == nullptr) return {};
  if (scratch->bytes != TW_ENOUGH && scratch->bytes < kernel.workspace_bytes())
    throw InputError(fmt::format("a launch of {} needs {} bytes of workspace; {} were given",
                                 kernel.answer().implementation, kernel.workspace_bytes(),
                                 scratch->bytes));
  const bool is_ready = scratch->state == TW_SCRATCH_READY;
  return {scratch->memory, is_ready ? Scratch::State::ready : Scratch::State::unknown};
}

void launch(const Kernel& kernel, void* stream, std::span<const tw_operand> given,
            const tw_scratch* scratch) {
  std::vector<Operand> operands;
  operands.reserve(given.size());
  for (const tw_operand& operand : given)
    operands.push_back(OperandReader(operand, operands.size() + 1).read());
  kernel.launch(stream, operands, scratch_of(kernel, scratch));
}

}  // namespace
}  // namespace tilewright::bindings

using namespace tilewright::bindings;

void tw_kernel_destroy(tw_kernel* kernel) {
  delete kernel;
}

const tw_answer* tw_kernel_answer(const tw_kernel* kernel) {
  return kernel->answer.get();
}

const char* tw_kernel_device_kind(const tw_kernel* kernel) {
  return kernel->kernel.device().kind.c_str();
}

const char* tw_kernel_device_name(const tw_kernel* kernel) {
  return kernel->kernel.device().name.c_str();
}

tw_status tw_kernel_prepare(const tw_kernel* kernel) {
  return guarded([&] {
    require(kernel, "tw_kernel_prepare: kernel");
    kernel->kernel.prepare();
  });
}

int64_t tw_kernel_workspace_bytes(const tw_kernel* kernel) {
  return kernel->kernel.workspace_bytes();
}

size_t tw_kernel_argument_count(const tw_kernel* kernel) {
  return kernel->kernel.arguments().size();
}

tw_status tw_kernel_argument(const tw_kernel* kernel, size_t index, tw_argument* argument) {
  return guarded([&] {
    require(kernel, "tw_kernel_argument: kernel");
    require(argument, "tw_kernel_argument: argument");
    const auto& arguments = kernel->kernel.arguments();
    if (index >= arguments.size())
      throw tilewright::InputError(
          fmt::format("tw_kernel_argument: {} has {} arguments, counted from 0; {} was asked for",
                      kernel->answer->implementation, arguments.size(), index));
    const tilewright::KernelArgument& from = arguments[index];
    *argument = {from.name.c_str(),
                 static_cast<tw_kind>(from.kind),
                 static_cast<tw_type>(from.type),
                 static_cast<tw_role>(from.role),
                 from.count,
                 from.by_value ? 1 : 0};
  });
}

tw_status tw_kernel_launch(const tw_kernel* kernel, void* stream, const tw_operand* operands,
                           size_t count, const tw_scratch* scratch) {
  return guarded([&] {
    require(kernel, "tw_kernel_launch: kernel");
    if (count > 0) require(operands, "tw_kernel_launch: operands");
    launch(kernel->kernel, stream, {operands, count}, scratch);
  });
}
