#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

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

}  // namespace

void Kernel::State::launch(void* stream, std::span<const Operand> operands,
                           const Scratch& scratch) {
  const Ready& ready = prepared(stream);
  const Recipe& recipe = *ready.recipe;
  const Scratch given = ready.shares_workspace ? Scratch{scratch.memory} : scratch;
  named(recipe, [&] {
    const bool is_on_cpu = runs_on_cpu(device_.device.kind);
    Places places;
    const std::span<const CallArgument> arguments =
        checked(recipe, operands, is_on_cpu ? ValuesFrom::buffer : ValuesFrom::copy_only, places);
    check_workspace(recipe, given);
    ready.executable->launch(arguments, static_cast<std::uint8_t*>(given.memory),
                             clearing_of(recipe, given), stream);
  });
}

}  // namespace tilewright
