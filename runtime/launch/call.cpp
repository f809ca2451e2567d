#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/definition.hpp"
#include "definition/text/errors.hpp"
#include "runtime/launch/kernels.hpp"

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
  throw bad_input("{} arguments were given; a launch takes {}: {}", given, asked, names);
}

// Checks an operand against its argument. `refuse(why)` throws.
void check(const KernelArgument& argument, const Operand& operand, const auto& refuse) {
  if (const ArgumentKind given = kind_of(operand.form()); given != argument.kind)
    refuse(fmt::format("is {}; {} was given", kind_text(argument.kind), kind_text(given)));
  if (operand.type() != argument.type)
    refuse(fmt::format("has elements of {}; {} was given", to_text(argument.type),
                       to_text(operand.type())));
  if (argument.kind == ArgumentKind::scalar) return;
  if (argument.role != ArgumentRole::input && operand.form() == OperandForm::read)
    refuse("is written; const memory was given");
  if (operand.count() != Operand::kUnknown && operand.count() < argument.count)
    refuse(fmt::format("has {} elements; {} were given", argument.count, operand.count()));
  if (argument.count == 0) return;
  if (operand.memory() == nullptr) refuse("is null");
  if (argument.kind == ArgumentKind::buffer && !is_aligned(operand.memory(), kBufferAlignment))
    refuse(fmt::format("must be aligned to {} bytes; {} is not", kBufferAlignment,
                       fmt::ptr(operand.memory())));
}

std::span<const std::byte> bytes_of(const void* values, const KernelArgument& argument) {
  return {static_cast<const std::byte*>(values),
          static_cast<std::size_t>(argument.count) * size_of(argument.type)};
}

// `place` counts from 1. Each message names it and the argument.
CallArgument checked(const KernelArgument& argument, std::size_t place, const Operand& operand,
                     ValuesFrom values_from) {
  const auto refuse = [&](const std::string& why) {
    throw bad_input("argument {} '{}' {}", place, argument.name, why);
  };
  check(argument, operand, refuse);
  if (argument.kind == ArgumentKind::scalar)
    return {nullptr, {operand.value(), size_of(argument.type)}};
  if (argument.kind == ArgumentKind::array) return {nullptr, bytes_of(operand.memory(), argument)};
  CallArgument result{argument.count == 0 ? &nothing : operand.memory(), {}};
  if (!argument.by_value) return result;
  const bool may_read = values_from == ValuesFrom::buffer;
  const void* values = operand.values() == nullptr && may_read ? result.memory : operand.values();
  if (values == nullptr)
    refuse(
        "goes by value in this configuration; give a copy in host memory with "
        "Operand::with_values, or ask for a kernel that reads it in device memory (inputs)");
  result.values = bytes_of(values, argument);
  return result;
}

// Throws InputError unless a launch is given the argument as the kernel takes it.
void check_preparation(const KernelArgument& argument, std::size_t place, const Operand& operand) {
  if (argument.prepared == (operand.prepared() != nullptr)) return;
  throw bad_input("argument {0} '{1}' {2}, or ask for a kernel with {1}={3}", place, argument.name,
                  argument.prepared ? "is taken prepared; give what prepare_input() made of it"
                                    : "is not taken prepared; give it as it is",
                  kPreparations.at(argument.prepared ? 0 : 1));
}

using Places = std::array<CallArgument, kMostCallArguments>;

// A caller's operands, checked against a recipe and in the form that an executable takes. They are
// in `places`, and refer to both. Throws InputError; its text does not name the kernel.
std::span<const CallArgument> checked(const Recipe& recipe, std::span<const Operand> operands,
                                      ValuesFrom values_from, Places& places) {
  check_count(recipe, operands.size());
  std::size_t used = 0, count = 0;
  for (const RecipeArgument& argument : recipe.arguments) {
    CallArgument& place = places.at(count++);
    if (!argument.value.empty()) {
      place.values = std::as_bytes(std::span(argument.value));
      continue;
    }
    check_preparation(argument.asked, used + 1, operands[used]);
    place = checked(argument.asked, used + 1, operands[used], values_from);
    ++used;
  }
  return {places.data(), count};
}

// Throws InputError if the workspace is missing or misaligned.
void check_workspace(const Recipe& recipe, const Scratch& scratch) {
  if (recipe.launches.workspace_bytes == 0) return;
  if (scratch.memory == nullptr)
    throw bad_input("a launch needs {} bytes of workspace; none was given",
                    recipe.launches.workspace_bytes);
  if (!is_aligned(scratch.memory, kWorkspaceAlignment))
    throw bad_input("the workspace must be aligned to {} bytes; {} is not", kWorkspaceAlignment,
                    fmt::ptr(scratch.memory));
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
auto named(const Recipe& recipe, const auto& work) {
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

// The place of the argument that is taken prepared; the number of arguments if there is none.
std::size_t place_of_prepared(const std::vector<KernelArgument>& arguments) {
  const auto place = std::ranges::find_if(arguments, &KernelArgument::prepared);
  return static_cast<std::size_t>(place - arguments.begin());
}

const RecipeArgument* find_prepared(const Recipe& recipe) {
  const auto is_prepared = [](const RecipeArgument& argument) { return argument.asked.prepared; };
  const auto found = std::ranges::find_if(recipe.arguments, is_prepared);
  return found == recipe.arguments.end() ? nullptr : &*found;
}

}  // namespace

// The arguments of a launch before and behind the input are empty.
void PreparedState::fill(void* stream) const {
  if (memory == nullptr) return;
  const Recipe& recipe = *ready->recipe;
  std::vector<CallArgument> given(recipe.arguments.size());
  given.at(static_cast<std::size_t>(find_prepared(recipe) - recipe.arguments.data())).memory =
      input.memory();
  ready->executable->launch(given, {nullptr, memory.get()}, ClearWorkspace::no, stream,
                            CallPart::preparation);
}

std::shared_ptr<const PreparedState> Kernel::State::prepare_input(void* stream,
                                                                  const Operand& input) {
  const Ready& ready = prepared(stream);
  const Recipe& recipe = *ready.recipe;
  return named(recipe, [&] {
    const RecipeArgument* const argument = find_prepared(recipe);
    if (argument == nullptr) throw InputError("none of its arguments is taken prepared");
    static_cast<void>(checked(argument->asked, place_of_prepared(arguments_) + 1, input,
                              values_from(device_.device)));
    auto made = std::make_shared<PreparedState>(PreparedState{shared_from_this(), &ready, input});
    if (const std::int64_t bytes = recipe.launches.prepared_bytes; bytes > 0)
      made->memory = ready.executable->make_memory(bytes);
    made->fill(stream);
    return made;
  });
}

// Of the operands of a launch; null if they have none.
const PreparedState* Kernel::State::prepared_of(std::span<const Operand> operands) const {
  const std::size_t place = place_of_prepared(arguments_);
  if (place >= std::min(arguments_.size(), operands.size())) return nullptr;
  const PreparedState* const given = operands[place].prepared();
  if (given == nullptr || given->kernel.get() == this) return given;
  throw bad_input("{}: '{}' was prepared for another kernel, {}", recipe().label,
                  arguments_[place].name, given->ready->recipe->label);
}

void Kernel::State::launch(void* stream, std::span<const Operand> operands,
                           const Scratch& scratch) {
  const PreparedState* const input = prepared_of(operands);
  const Ready& ready = input == nullptr ? prepared(stream) : *input->ready;
  const Recipe& recipe = *ready.recipe;
  const Scratch given = ready.shares_workspace ? Scratch{scratch.memory} : scratch;
  named(recipe, [&] {
    Places places;
    const std::span<const CallArgument> arguments =
        checked(recipe, operands, values_from(device_.device), places);
    check_workspace(recipe, given);
    ready.executable->launch(arguments,
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
