#include "tuner/host/launch/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "tuner/backend/evaluator.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/host/compile/sanitizers.hpp"
#include "tuner/host/launch/memory.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::host {
namespace {

// Beyond the end of dynamic shared memory, so that a write there is found. With the sanitizer no
// guard zone is needed.
constexpr std::int64_t kSharedGuard = kSanitized ? 0 : 1024;
constexpr std::int64_t kRangesPerThread = 8;

// A kernel's arguments, each aligned for any type, and the pointers to them.
class ArgumentBlock {
 public:
  void add(const void* bytes, std::size_t size) {
    auto& slot = slots_.emplace_back((size + sizeof(Slot) - 1) / sizeof(Slot) + 1);
    std::memcpy(slot.data(), bytes, size);
    pointers_.push_back(slot.data());
  }
  void** pointers() { return pointers_.data(); }

 private:
  struct alignas(16) Slot {
    std::uint8_t bytes[16] = {};
  };
  std::vector<std::vector<Slot>> slots_;
  std::vector<void*> pointers_;
};

ArgumentBlock arguments_of(const PlannedLaunch& launch, const CallOperands& operands) {
  ArgumentBlock block;
  for (const PlannedArgument& argument : launch.arguments) {
    const auto index = static_cast<std::size_t>(argument.index);
    if (argument.kind == PlannedArgument::Kind::bytes) {
      block.add(argument.bytes.data(), argument.bytes.size());
    } else if (argument.kind == PlannedArgument::Kind::workspace) {
      const void* const pointer = operands.workspace + argument.offset;
      block.add(&pointer, sizeof pointer);
    } else if (argument.kind == PlannedArgument::Kind::by_value) {
      std::vector<std::uint8_t> bytes = operands.values[index];
      bytes.resize(static_cast<std::size_t>(argument.size));
      block.add(bytes.data(), bytes.size());
    } else if (operands.pointers[index] != nullptr) {
      block.add(&operands.pointers[index], sizeof(void*));
    } else {
      block.add(operands.values[index].data(), operands.values[index].size());
    }
  }
  return block;
}

std::size_t size_of(const PlannedArgument& argument, const CallOperands& operands) {
  const auto index = static_cast<std::size_t>(argument.index);
  if (argument.kind == PlannedArgument::Kind::bytes) return argument.bytes.size();
  if (argument.kind == PlannedArgument::Kind::workspace) return sizeof(void*);
  if (index >= operands.pointers.size())
    throw TrialError(Outcome::launch_failed, "a launch names an unknown argument");
  if (argument.kind == PlannedArgument::Kind::by_value)
    return static_cast<std::size_t>(argument.size);
  if (operands.pointers[index] != nullptr) return sizeof(void*);
  return operands.values[index].size();
}

// Keeps all sums and products of sizes far from 2^63, also those of a plan from a bundle.
void check_sizes(const PlannedLaunch& launch) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::int64_t blocks = launch.grid[0];
  bool is_small = launch.shared_bytes >= 0 && launch.shared_bytes <= kMost;
  for (std::size_t i = 0; i < 3; ++i)
    is_small = is_small && launch.grid[i] <= kMost && launch.block[i] <= kMost;
  for (const std::size_t i : {1U, 2U})
    is_small = is_small && !__builtin_mul_overflow(blocks, launch.grid[i], &blocks);
  if (!is_small)
    throw TrialError(
        Outcome::launch_failed,
        fmt::format("{}: a grid, a block or dynamic shared memory of 2^31 or more", launch.entry));
}

Index3 index3(const std::array<std::int64_t, 3>& extent) {
  return {static_cast<unsigned>(extent[0]), static_cast<unsigned>(extent[1]),
          static_cast<unsigned>(extent[2])};
}

std::string describe(const DivergentBarrier& barrier) {
  const auto text = [](const Index3& index) {
    return fmt::format("({}, {}, {})", index.x, index.y, index.z);
  };
  return fmt::format(
      "divergent barrier at lines {} and {}: threads {} and {} of a block wait there",
      barrier.first_place, barrier.second_place, text(barrier.first_thread),
      text(barrier.second_thread));
}

// Threads that wait for work and then run it in parallel.
class Crew {
 public:
  explicit Crew(int threads) {
    for (int number = 1; number < threads; ++number)
      threads_.emplace_back([this, number] { serve(number); });
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    work_came_.notify_all();
  }

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls `work(number)` for every number below size(), each on a thread of its own; number 0 is
  // the calling thread. Returns when all have returned. `work` must not throw.
  void run(const std::function<void(int number)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      busy_ = static_cast<int>(threads_.size());
      ++round_;
    }
    work_came_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    work_done_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  void serve(int number) {
    std::uint64_t seen = 0;
    for (;;) {
      const std::function<void(int)>* work = nullptr;
      {
        std::unique_lock lock(mutex_);
        work_came_.wait(lock, [&] { return ends_ || round_ != seen; });
        if (ends_) return;
        seen = round_;
        work = work_;
      }
      (*work)(number);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) work_done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_, work_done_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  std::vector<std::jthread> threads_;  // last, because they use the other members
};

// What one thread of a launcher keeps between launches.
struct Seat {
  BlockFibers fibers;
  GuardedBuffer dynamic_shared;
  std::int64_t dynamic_bytes = -1;

  void make_room(std::int64_t bytes) {
    if (bytes == dynamic_bytes) return;
    dynamic_shared = GuardedBuffer(bytes, kSharedGuard);
    dynamic_bytes = bytes;
  }
};

}  // namespace

struct Launcher::State {
  Crew crew;
  std::vector<Seat> seats;
  explicit State(int threads) : crew(threads), seats(static_cast<std::size_t>(threads)) {}
};

Launcher::Launcher(int threads)
    : state_(std::make_unique<State>(
          threads > 0 ? threads
                      : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())))) {}
Launcher::~Launcher() = default;

int Launcher::threads() const {
  return state_->crew.size();
}

namespace {

// One launch, shared by all threads.
struct Running {
  const PlannedLaunch& launch;
  const RunMode& mode;
  ArgumentBlock arguments;
  std::int64_t blocks = 0;
  std::int64_t grain = 1;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;

  void fail(std::exception_ptr why) {
    next = blocks;
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(why);
  }

  void run_block(std::int64_t block, const ModuleCopy& copy, EntryFunction entry, Seat& seat) {
    KernelState& state = copy.state();
    const auto columns = static_cast<std::int64_t>(state.grid_dim.x);
    const auto rows = static_cast<std::int64_t>(state.grid_dim.y);
    state.block = index3({block % columns, block / columns % rows, block / columns / rows});
    if (mode.shared == RunMode::Shared::poisoned) {
      copy.fill_shared(kPoison);
      std::ranges::fill(seat.dynamic_shared.bytes(), kPoison);
    }
    if (const auto divergence = seat.fibers.run(entry, arguments.pointers(), state, mode.order))
      throw TrialError(Outcome::launch_failed, describe(*divergence));
  }

  void check_dynamic_shared(const Seat& seat) const {
    for (const auto guard : {seat.dynamic_shared.guard_before(), seat.dynamic_shared.guard_after()})
      if (first_damage(guard)) {
        seat.dynamic_shared.fill_guards();
        throw TrialError(Outcome::wrote_out_of_bounds,
                         fmt::format("wrote outside the {} bytes of dynamic shared memory",
                                     launch.shared_bytes));
      }
  }
};

}  // namespace

struct Kernels::State {
  Launcher& launcher;
  std::vector<std::vector<ModuleCopy>> copies;  // by thread, of each unit of the code
  std::map<std::string, UnitSymbol> symbols;    // by entry

  const UnitSymbol& symbol(const std::string& name) const {
    const auto found = symbols.find(name);
    if (found == symbols.end())
      throw TrialError(Outcome::launch_failed, fmt::format("the code has no kernel {}", name));
    return found->second;
  }

  void run(const PlannedLaunch& launch, const CallOperands& operands, const RunMode& mode) {
    Running running{launch, mode, arguments_of(launch, operands), 0, 1, 0, {}, nullptr};
    running.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    const std::int64_t threads = launcher.threads();
    running.grain = std::max<std::int64_t>(1, running.blocks / (threads * kRangesPerThread));
    launcher.state_->crew.run([&](int thread) { work(running, thread); });
    if (running.failure) std::rethrow_exception(running.failure);
  }

  void work(Running& running, int thread) {
    const auto place = static_cast<std::size_t>(thread);
    Seat& seat = launcher.state_->seats[place];
    try {
      const UnitSymbol& symbol = this->symbol(running.launch.entry);
      const ModuleCopy& copy = copies[place][symbol.unit];
      const EntryFunction entry = copy.entry(symbol.name);
      seat.make_room(running.launch.shared_bytes);
      copy.state().dynamic_shared = seat.dynamic_shared.data();
      copy.state().block_dim = index3(running.launch.block);
      copy.state().grid_dim = index3(running.launch.grid);
      for (std::int64_t first = running.next.fetch_add(running.grain); first < running.blocks;
           first = running.next.fetch_add(running.grain))
        for (std::int64_t block = first; block < std::min(first + running.grain, running.blocks);
             ++block)
          running.run_block(block, copy, entry, seat);
      running.check_dynamic_shared(seat);
    } catch (...) {
      running.fail(std::current_exception());
    }
  }
};

Kernels::Kernels(std::span<const std::uint8_t> code,
                 const std::map<std::string, std::string>& symbols, Launcher& launcher)
    : state_(std::make_unique<State>(State{launcher, {}, {}})) {
  const std::vector<CodeBytes> units = units_of(code);
  for (int i = 0; i < launcher.threads(); ++i)
    state_->copies.emplace_back(units.begin(), units.end());
  for (const auto& [entry, symbol] : symbols) {
    const UnitSymbol found = find_unit(symbol, units.size());
    state_->copies.front()[found.unit].entry(found.name);
    state_->symbols.emplace(entry, found);
  }
}
Kernels::~Kernels() = default;
Kernels::Kernels(Kernels&&) noexcept = default;

void Kernels::check_launches(const LaunchPlan& plan, const CallOperands& operands) const {
  for (const PlannedLaunch& launch : plan.launches) {
    for (std::size_t i = 0; i < 3; ++i)
      if (launch.grid[i] < 1 || launch.block[i] < 1)
        throw TrialError(Outcome::launch_failed,
                         fmt::format("{}: a launch of no blocks or no threads", launch.entry));
    check_sizes(launch);
    if (launch.cluster != std::array<std::int64_t, 3>{1, 1, 1})
      throw TrialError(Outcome::unsupported, "the host device has no thread block clusters");
    for (const PlannedArgument& argument : launch.arguments)
      if (argument.has_map())
        throw TrialError(Outcome::unsupported, "the host device has no tensor maps");
    const UnitSymbol& symbol = state_->symbol(launch.entry);
    const std::vector<std::size_t> sizes =
        state_->copies.front()[symbol.unit].parameter_sizes(symbol.name);
    if (sizes.size() != launch.arguments.size())
      throw TrialError(Outcome::launch_failed,
                       fmt::format("{} takes {} arguments; the launch gives {}", launch.entry,
                                   sizes.size(), launch.arguments.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (const std::size_t given = size_of(launch.arguments[i], operands); given != sizes[i])
        throw TrialError(Outcome::launch_failed,
                         fmt::format("{}: argument {} has {} bytes; the launch gives {}",
                                     launch.entry, i, sizes[i], given));
  }
}

void Kernels::call(const LaunchPlan& plan, const CallOperands& operands,
                   const RunMode& mode) const {
  if (plan.workspace_zero == Workspace::Fill::each && plan.workspace_bytes > 0)
    std::memset(operands.workspace, 0, static_cast<std::size_t>(plan.workspace_bytes));
  for (const PlannedLaunch& launch : plan.launches) state_->run(launch, operands, mode);
}

}  // namespace tilewright::host
