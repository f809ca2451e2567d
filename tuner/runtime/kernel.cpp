// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/kernel.hpp"

#include <utility>

#include "tilewright/error.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/local_device.hpp"

namespace tilewright {
namespace {

// Runs `work`; what it throws gets the kernel's name before it.
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

}  // namespace

Kernel::State::State(Recipe recipe, DeviceReport device, FindCode find_code)
    : recipe_(std::move(recipe)),
      device_(std::move(device)),
      arguments_(asked_arguments(recipe_)),
      find_code_(std::move(find_code)) {}

std::unique_ptr<Executable> Kernel::State::load() const {
  const RecipeCode code = find_code_(recipe_);
  ExecutablePlan plan;
  plan.code = *code.bytes;
  plan.symbols = code.symbols;
  plan.launches = recipe_.launches;
  for (const RecipeArgument& argument : recipe_.arguments)
    plan.sizes.push_back(argument.parameter_bytes());
  plan.device_index = device_.index;
  return load_on(device_.device, plan);
}

const Executable& Kernel::State::prepared() {
  if (const Executable* ready = ready_.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard lock(preparing_);
  if (!executable_) {
    executable_ = named(recipe_, [&] { return load(); });
    find_code_ = nullptr;
    ready_.store(executable_.get(), std::memory_order_release);
  }
  return *executable_;
}

void Kernel::State::launch(void* stream, std::span<const Operand> operands,
                           const Scratch& scratch) {
  const Executable& executable = prepared();
  named(recipe_, [&] {
    const bool is_host = device_.device.kind == "host";
    const Call call(recipe_, operands, is_host ? ValuesFrom::buffer : ValuesFrom::copy_only);
    check_workspace(recipe_, scratch);
    executable.launch(call.arguments(), static_cast<std::uint8_t*>(scratch.memory),
                      clearing_of(recipe_, scratch), stream);
  });
}

Kernel::Kernel(std::shared_ptr<State> state) : state_(std::move(state)) {}

const Answer& Kernel::answer() const {
  return state_->recipe().answer;
}

const Device& Kernel::device() const {
  return state_->device();
}

const std::vector<KernelArgument>& Kernel::arguments() const {
  return state_->arguments();
}

std::int64_t Kernel::workspace_bytes() const {
  return state_->recipe().launches.workspace_bytes;
}

void Kernel::prepare() const {
  state_->prepared();
}

void Kernel::launch(void* stream, std::span<const Operand> operands, Scratch scratch) const {
  state_->launch(stream, operands, scratch);
}

}  // namespace tilewright
