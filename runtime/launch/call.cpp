#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/definition.hpp"
#include "runtime/launch/kernels.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// The widest access of a thread, in bytes.
constexpr std::uintptr_t kBufferAlignment = 16;
constexpr std::uintptr_t kWorkspaceAlignment = 256;

// The address that stands for a buffer without elements.
alignas(kWorkspaceAlignment) std::byte nothing;

// Where inputs by value are read from if the caller gave no host copy of them.
enum class ValuesFrom { copy_only, buffer };

bool is_aligned(const void* address, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

std::string_view kind_text(ArgumentKind kind) {
  return kind == ArgumentKind::buffer   ? "a buffer"
         : kind == ArgumentKind::scalar ? "a scalar"
                                        : "an array by value";
}

ArgumentKind kind_of(OperandForm form) {
  return form == OperandForm::scalar  ? ArgumentKind::scalar
         : form == OperandForm::array ? ArgumentKind::array
                                      : ArgumentKind::buffer;
}

void check_count(const Recipe& recipe, std::size_t given) {
  const auto is_asked = [](const RecipeArgument& argument) { return argument.value.empty(); };
  const auto asked = static_cast<std::size_t>(std::ranges::count_if(recipe.arguments, is_asked));
  if (given == asked) return;
  std::string names;
  for (const RecipeArgument& argument : recipe.arguments)
    if (is_asked(argument)) names += (names.empty() ? "" : ", ") + argument.asked.name;
  throw InputError(
      fmt::format("{} arguments were given; a launch takes {}: {}", given, asked, names));
}

// Checks one operand against its argument. Each message names both.
class OperandCheck {
 public:
  OperandCheck(const KernelArgument& argument, std::size_t place, const Operand& operand)
      : argument_(argument), place_(place), operand_(operand) {}

  void run() const {
    if (const ArgumentKind given = kind_of(operand_.form()); given != argument_.kind)
      refuse(fmt::format("is {}; {} was given", kind_text(argument_.kind), kind_text(given)));
    if (operand_.type() != argument_.type)
      refuse(fmt::format("has elements of {}; {} was given", tilewright::to_text(argument_.type),
                         tilewright::to_text(operand_.type())));
    if (argument_.kind != ArgumentKind::scalar) check_memory();
  }

  // Of a launch: whether it is given as the kernel takes it.
  void check_preparation() const {
    if (argument_.prepared == (operand_.prepared() != nullptr)) return;
    refuse(fmt::format("{}, or ask for a kernel with {}={}",
                       argument_.prepared
                           ? "is taken prepared; give what prepare_input() made of it"
                           : "is not taken prepared; give it as it is",
                       argument_.name, kPreparations.at(argument_.prepared ? 0 : 1)));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("argument {} '{}' {}", place_, argument_.name, why));
  }

 private:
  void check_memory() const {
    const bool is_written = argument_.role != ArgumentRole::input;
    if (is_written && operand_.form() == OperandForm::read)
      refuse("is written; const memory was given");
    if (operand_.count() != Operand::kUnknown && operand_.count() < argument_.count)
      refuse(fmt::format("has {} elements; {} were given", argument_.count, operand_.count()));
    if (argument_.count == 0) return;
    if (operand_.memory() == nullptr) refuse("is null");
    if (argument_.kind == ArgumentKind::buffer && !is_aligned(operand_.memory(), kBufferAlignment))
      refuse(fmt::format("must be aligned to {} bytes; {} is not", kBufferAlignment,
                         fmt::ptr(operand_.memory())));
  }

  const KernelArgument& argument_;
  std::size_t place_;  // from 1
  const Operand& operand_;
};

std::span<const std::byte> bytes_of(const void* values, const KernelArgument& argument) {
  return {static_cast<const std::byte*>(values),
          static_cast<std::size_t>(argument.count) * size_of(argument.type)};
}

CallArgument checked(const KernelArgument& argument, std::size_t place, const Operand& operand,
                     ValuesFrom values_from) {
  const OperandCheck check(argument, place, operand);
  check.run();
  if (argument.kind == ArgumentKind::scalar)
    return {nullptr, {operand.value(), size_of(argument.type)}};
  if (argument.kind == ArgumentKind::array) return {nullptr, bytes_of(operand.memory(), argument)};
  CallArgument result{argument.count == 0 ? &nothing : operand.memory(), {}};
  if (!argument.by_value) return result;
  const bool may_read = values_from == ValuesFrom::buffer;
  const void* values = operand.values() == nullptr && may_read ? result.memory : operand.values();
  if (values == nullptr)
    check.refuse(
        "goes by value in this configuration; give a copy in host memory with "
        "Operand::with_values, or ask for a kernel that reads it in device memory (inputs)");
  result.values = bytes_of(values, argument);
  return result;
}

// A caller's operands, checked against a recipe and in the form that an executable takes. Refers to
// both.
class Call {
 public:
  // Throws InputError; its text does not name the kernel.
  Call(const Recipe& recipe, std::span<const Operand> operands, ValuesFrom values_from) {
    check_count(recipe, operands.size());
    std::size_t used = 0;
    for (const RecipeArgument& argument : recipe.arguments) {
      CallArgument& place = arguments_.at(count_++);
      if (!argument.value.empty()) {
        place.values = std::as_bytes(std::span(argument.value));
        continue;
      }
      OperandCheck(argument.asked, used + 1, operands[used]).check_preparation();
      place = checked(argument.asked, used + 1, operands[used], values_from);
      ++used;
    }
  }

  std::span<const CallArgument> arguments() const { return {arguments_.data(), count_}; }

 private:
  std::array<CallArgument, kMostCallArguments> arguments_;
  std::size_t count_ = 0;
};

// Throws InputError if the workspace is missing or misaligned.
void check_workspace(const Recipe& recipe, const Scratch& scratch) {
  if (recipe.launches.workspace_bytes == 0) return;
  if (scratch.memory == nullptr)
    throw InputError(fmt::format("a launch needs {} bytes of workspace; none was given",
                                 recipe.launches.workspace_bytes));
  if (!is_aligned(scratch.memory, kWorkspaceAlignment))
    throw InputError(fmt::format("the workspace must be aligned to {} bytes; {} is not",
                                 kWorkspaceAlignment, fmt::ptr(scratch.memory)));
}

// Whether a launch must clear the workspace: its kernels need zeros, and the caller has not
// promised them.
ClearWorkspace clearing_of(const Recipe& recipe, const Scratch& scratch) {
  using Zero = Workspace::Fill;
  const Zero zero = recipe.launches.workspace_zero;
  if (recipe.launches.workspace_bytes == 0 || zero == Zero::never) return ClearWorkspace::no;
  const bool is_clear = zero == Zero::once && scratch.state == Scratch::State::ready;
  return is_clear ? ClearWorkspace::no : ClearWorkspace::yes;
}

// Runs `work`. Puts the kernel's name in front of the text of an exception.
template <class Work>
auto named(const Recipe& recipe, Work&& work) {
  const auto with_label = [&](const std::exception& error) {
    return recipe.label + ": " + error.what();
  };
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(with_label(error));
  } catch (const MachineError& error) {
    throw MachineError(with_label(error));
  } catch (const LaunchError& error) {
    throw LaunchError(with_label(error));
  }
}

ValuesFrom values_from(const Device& device) {
  return runs_on_cpu(device.kind) ? ValuesFrom::buffer : ValuesFrom::copy_only;
}

bool is_prepared(const RecipeArgument& argument) {
  return argument.asked.prepared;
}

}  // namespace

// The arguments of a launch before and behind the input are empty.
void PreparedState::fill(void* stream) const {
  if (memory == nullptr) return;
  const std::vector<RecipeArgument>& arguments = ready->recipe->arguments;
  std::vector<CallArgument> given(arguments.size());
  const auto place = std::ranges::find_if(arguments, is_prepared) - arguments.begin();
  given.at(static_cast<std::size_t>(place)).memory = input.memory();
  ready->executable->launch(given, {nullptr, memory.get()}, ClearWorkspace::no, stream,
                            CallPart::preparation);
}

std::shared_ptr<const PreparedState> Kernel::State::prepare_input(void* stream,
                                                                  const Operand& input) {
  const Ready& ready = prepared(stream);
  const Recipe& recipe = *ready.recipe;
  return named(recipe, [&] {
    if (!prepared_place_) throw InputError("none of its arguments is taken prepared");
    const auto argument = std::ranges::find_if(recipe.arguments, is_prepared);
    static_cast<void>(
        checked(argument->asked, *prepared_place_ + 1, input, values_from(device_.device)));
    auto made = std::make_shared<PreparedState>(shared_from_this(), &ready, input);
    if (const std::int64_t bytes = recipe.launches.prepared_bytes; bytes > 0)
      made->memory = ready.executable->make_memory(bytes);
    made->fill(stream);
    return made;
  });
}

// Of the operands of a launch; null if they have none.
const PreparedState* Kernel::State::prepared_of(std::span<const Operand> operands) const {
  if (!prepared_place_ || *prepared_place_ >= operands.size()) return nullptr;
  const PreparedState* const given = operands[*prepared_place_].prepared();
  if (given == nullptr || given->kernel.get() == this) return given;
  throw InputError(fmt::format("{}: '{}' was prepared for another kernel, {}", recipe().label,
                               arguments_[*prepared_place_].name, given->ready->recipe->label));
}

void Kernel::State::launch(void* stream, std::span<const Operand> operands,
                           const Scratch& scratch) {
  const PreparedState* const input = prepared_of(operands);
  const Ready& ready = input == nullptr ? prepared(stream) : *input->ready;
  const Recipe& recipe = *ready.recipe;
  const Scratch given = ready.shares_workspace ? Scratch{scratch.memory} : scratch;
  named(recipe, [&] {
    const Call call(recipe, operands, values_from(device_.device));
    check_workspace(recipe, given);
    ready.executable->launch(call.arguments(),
                             {static_cast<std::uint8_t*>(given.memory),
                              input == nullptr ? nullptr : input->memory.get()},
                             clearing_of(recipe, given), stream);
  });
}

PreparedInput::PreparedInput(std::shared_ptr<const PreparedState> state)
    : state_(std::move(state)) {}

std::int64_t PreparedInput::bytes() const {
  const bool has_memory = state_ != nullptr && state_->memory != nullptr;
  return has_memory ? state_->ready->recipe->launches.prepared_bytes : 0;
}

void PreparedInput::prepare_again(void* stream) const {
  if (state_ == nullptr) throw InputError("prepare_again: nothing has been prepared");
  named(*state_->ready->recipe, [&] { state_->fill(stream); });
}

PreparedInput::operator Operand() const {
  if (state_ == nullptr) throw InputError("an input that nobody has prepared is no operand");
  Operand operand = state_->input;
  operand.prepared_ = state_.get();
  return operand;
}

}  // namespace tilewright
