#include "tuner/host/launch/launcher.hpp"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <new>

#include "tilewright/error.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/host/launch/memory.hpp"

namespace tilewright::host {
namespace {

// A launcher runs one call at a time.
struct SharedLauncher {
  std::mutex turn;
  Launcher launcher;

  // The one launcher of this process. It ends with its last user.
  static std::shared_ptr<SharedLauncher> get() {
    static std::mutex mutex;
    static auto& known = *new std::weak_ptr<SharedLauncher>;
    const std::lock_guard lock(mutex);
    std::shared_ptr<SharedLauncher> launcher = known.lock();
    if (!launcher) known = launcher = std::make_shared<SharedLauncher>();
    return launcher;
  }
};

class HostExecutable final : public Executable {
 public:
  explicit HostExecutable(const ExecutablePlan& plan)
      : launcher_(SharedLauncher::get()),
        kernels_(plan.code, plan.symbols, launcher_->launcher),
        plan_(Kernels::ready(plan.launches)) {
    plan_.workspace_zero = Workspace::Fill::never;  // the caller of launch() decides
    check(plan.sizes);
    for (PlannedLaunch& launch : plan_.launches)
      for (PlannedArgument& argument : launch.arguments)
        if (argument.kind == PlannedArgument::Kind::argument)
          argument.size = plan.sizes.at(static_cast<std::size_t>(argument.index));
  }

  void launch(std::span<const CallArgument> arguments, CallMemory memory, ClearWorkspace clear,
              void* /*stream*/, CallPart part) const override {
    const std::lock_guard lock(launcher_->turn);
    if (clear == ClearWorkspace::yes)
      std::memset(memory.workspace, 0, static_cast<std::size_t>(plan_.workspace_bytes));
    try {
      const CallOperands operands{arguments, memory};
      if (part == CallPart::call) kernels_.fill_constants(plan_, operands);
      kernels_.call(plan_, operands, {}, part);
    } catch (const TrialError& error) {
      throw LaunchError(error.what());
    }
  }

  std::shared_ptr<std::uint8_t> make_memory(std::int64_t bytes) const override try {
    const auto buffer = std::make_shared<GuardedBuffer>(bytes, 0);
    return {buffer, buffer->data()};
  } catch (const std::bad_alloc&) {
    throw MachineError(fmt::format("not enough memory for a prepared input of {} bytes", bytes));
  }

 private:
  // With values of the right sizes. A buffer that is passed as a pointer has the size of a pointer.
  void check(const std::vector<std::int64_t>& sizes) const {
    std::vector<std::vector<std::byte>> values;
    std::vector<CallArgument> arguments;
    for (const std::int64_t size : sizes)
      arguments.push_back({nullptr, values.emplace_back(static_cast<std::size_t>(size))});
    kernels_.check_launches(plan_, {arguments});
  }

  std::shared_ptr<SharedLauncher> launcher_;
  Kernels kernels_;
  LaunchPlan plan_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) try {
  return std::make_unique<HostExecutable>(plan);
} catch (const TrialError& error) {
  throw MachineError(error.what());
}

}  // namespace tilewright::host
