#include "tuner/host/launch/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "tuner/backend/evaluator.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/host/compile/sanitizers.hpp"
#include "tuner/host/launch/arguments.hpp"
#include "tuner/host/threads/texture.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/ready_plan.hpp"
#include "tuner/verify/compare.hpp"

namespace tilewright::host {
namespace {

// Dynamic shared memory begins at a multiple of it, as on a GPU, for boxes with a swizzle.
constexpr std::size_t kSharedAlignment = 1024;
// Beyond the end of dynamic shared memory, so that a write there is found. With the sanitizer no
// guard zone is needed.
constexpr std::int64_t kSharedGuard = kSanitized ? 0 : kSharedAlignment;
constexpr std::int64_t kRangesPerThread = 8;
constexpr std::int64_t kMostBlocksPerCluster = 16;
// Of one kernel, because each keeps a file open.
constexpr std::int64_t kMostCopies = kMostCooperativeBlocks;

// Keeps all sums and products of sizes far from 2^63, also those of a plan from a bundle.
void check_sizes(const PlannedLaunch& launch) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  bool is_small = launch.shared_bytes >= 0 && launch.shared_bytes <= kMost &&
                  volume(launch.grid) < std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < 3; ++i)
    is_small = is_small && launch.grid[i] <= kMost && launch.block[i] <= kMost;
  if (!is_small)
    refuse_launch(
        fmt::format("{}: a grid, a block or dynamic shared memory of 2^31 or more", launch.entry));
}

Index3 index3(const std::array<std::int64_t, 3>& extent) {
  return {static_cast<unsigned>(extent[0]), static_cast<unsigned>(extent[1]),
          static_cast<unsigned>(extent[2])};
}

void check_cooperative(const PlannedLaunch& launch) {
  if (!launch.cooperative) return;
  if (volume(launch.cluster) != 1)
    throw TrialError(
        Outcome::unsupported,
        fmt::format("{}: the host device has no cooperative launches of clusters", launch.entry));
  if (volume(launch.grid) > kMostCooperativeBlocks)
    refuse_launch(
        fmt::format("{}: a cooperative launch of {} blocks; the host device holds {} at once",
                    launch.entry, volume(launch.grid), kMostCooperativeBlocks));
}

// The blocks of a cooperative launch run as those of a cluster do.
PlannedLaunch as_run(PlannedLaunch launch) {
  if (launch.cooperative) launch.cluster = launch.grid;
  return launch;
}

void check_cluster(const PlannedLaunch& launch) {
  bool is_possible = true;
  for (std::size_t i = 0; i < 3; ++i)
    is_possible = is_possible && launch.cluster[i] >= 1 &&
                  launch.cluster[i] <= kMostBlocksPerCluster &&
                  launch.grid[i] % launch.cluster[i] == 0;
  if (!is_possible || volume(launch.cluster) > kMostBlocksPerCluster)
    refuse_launch(fmt::format("{}: a cluster must divide the grid and have 1 to {} blocks",
                              launch.entry, kMostBlocksPerCluster));
}

// One launch, shared by all threads. They take clusters, most of them of one block.
struct Running {
  const PlannedLaunch& launch;
  const RunMode& mode;
  ArgumentBlock arguments;
  std::int64_t clusters = 0;
  std::int64_t grain = 1;
  std::int64_t most_threads = 0;
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;

  void fail(std::exception_ptr why) {
    next = clusters;
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(why);
  }

  // The index of a cluster's block, both counted with x first.
  Index3 block_index(std::int64_t cluster, std::int64_t rank) const {
    std::array<std::int64_t, 3> index{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t size = launch.cluster.at(i);
      const std::int64_t clusters_across = launch.grid.at(i) / size;
      index.at(i) = cluster % clusters_across * size + rank % size;
      cluster /= clusters_across;
      rank /= size;
    }
    return index3(index);
  }

  void run_cluster(std::int64_t cluster, std::span<const ModuleCopy> copies,
                   std::vector<ClusterBlock>& blocks, Launcher::Seat& seat) {
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      blocks[rank].state->block = block_index(cluster, static_cast<std::int64_t>(rank));
      if (mode.shared != RunMode::Shared::poisoned) continue;
      copies[rank].fill_shared(kPoison);
      std::ranges::fill(blocks[rank].dynamic_shared, kPoison);
    }
    seat.fibers.run(blocks, arguments.pointers(), mode.order,
                    launch.cooperative ? Together::grid : Together::cluster);
  }

  void check_dynamic_shared(const Launcher::Seat& seat) const {
    for (const GuardedBuffer& shared : seat.dynamic_shared)
      for (const auto guard : {shared.guard_before(), shared.guard_after()})
        if (first_damage(guard)) {
          shared.fill_guards();
          throw TrialError(Outcome::wrote_out_of_bounds,
                           fmt::format("wrote outside the {} bytes of dynamic shared memory",
                                       launch.shared_bytes));
        }
  }
};

}  // namespace

struct Kernels::State {
  Launcher& launcher;
  std::vector<std::vector<std::uint8_t>> units;
  // By thread, unit of the code, and block of a cluster.
  std::vector<std::vector<std::vector<ModuleCopy>>> copies;
  std::map<std::string, UnitSymbol> symbols;  // by entry or constant
  Callable* callable = nullptr;               // in place of all these

  const UnitSymbol& symbol(const std::string& name) const {
    const auto found = symbols.find(name);
    if (found == symbols.end()) refuse_launch(fmt::format("the code has no kernel {}", name));
    return found->second;
  }

  // At least so many copies of a unit for each of the first `threads` threads.
  void load(std::size_t unit, std::int64_t threads, std::size_t blocks) {
    for (std::size_t thread = 0; thread < static_cast<std::size_t>(threads); ++thread)
      while (copies[thread][unit].size() < blocks) copies[thread][unit].emplace_back(units[unit]);
  }

  // How many threads run the clusters of a launch.
  std::int64_t threads_for(const PlannedLaunch& launch) const {
    const std::int64_t blocks = volume(launch.cluster);
    const std::int64_t threads = launcher.threads();
    if (launch.cooperative) return 1;  // its blocks run together
    return blocks == 1 ? threads : std::min(threads, kMostCopies / blocks);
  }

  void load_for(const PlannedLaunch& planned) {
    const PlannedLaunch launch = as_run(planned);
    load(symbol(launch.entry).unit, threads_for(launch),
         static_cast<std::size_t>(volume(launch.cluster)));
  }

  // The variable in the first copy of its unit; nothing if the code does not have it.
  std::optional<std::span<std::uint8_t>> variable(const std::string& key) const {
    const auto found = symbols.find(key);
    if (found == symbols.end()) return std::nullopt;
    return copies.front()[found->second.unit].front().variable(found->second.name);
  }

  // In every copy of its unit.
  void fill(const PlannedConstant& constant, const CallOperands& operands) const {
    const UnitSymbol& found = symbols.at(constant.key);
    const void* const from = operands.arguments[static_cast<std::size_t>(constant.index)].memory;
    if (constant.bytes == 0) return;
    for (const auto& of_thread : copies)
      for (const ModuleCopy& copy : of_thread[found.unit])
        std::memcpy(copy.variable(found.name).data(), from,
                    static_cast<std::size_t>(constant.bytes));
  }

  void run(const PlannedLaunch& planned, const CallOperands& operands, const RunMode& mode) {
    const PlannedLaunch launch = as_run(planned);
    Running running{launch, mode, arguments_of(launch, operands), 0, 1, 0, 0, {}, nullptr};
    running.clusters = volume(launch.grid) / volume(launch.cluster);
    running.most_threads = threads_for(launch);
    running.grain =
        std::max<std::int64_t>(1, running.clusters / (running.most_threads * kRangesPerThread));
    load_for(launch);
    launcher.pool.get().run([&](int thread) {
      if (thread < running.most_threads) work(running, static_cast<std::size_t>(thread));
    });
    if (running.failure) std::rethrow_exception(running.failure);
  }

  // The blocks of a cluster as a thread runs them; their indices are still to be set.
  std::vector<ClusterBlock> blocks_of(const PlannedLaunch& launch,
                                      std::span<const ModuleCopy> own_copies,
                                      const Launcher::Seat& seat) const {
    std::vector<ClusterBlock> blocks;
    const auto count = static_cast<std::size_t>(volume(launch.cluster));
    for (const ModuleCopy& copy : own_copies.first(count)) {
      const GuardedBuffer& shared = seat.dynamic_shared[blocks.size()];
      KernelState& state = copy.state();
      state.dynamic_shared = shared.data();
      state.block_dim = index3(launch.block);
      state.grid_dim = index3(launch.grid);
      blocks.push_back(
          {&state, copy.entry(symbol(launch.entry).name), shared.bytes(), copy.static_shared()});
    }
    return blocks;
  }

  void work(Running& running, std::size_t thread) {
    Launcher::Seat& seat = launcher.seats[thread];
    try {
      const PlannedLaunch& launch = running.launch;
      const std::span<const ModuleCopy> own_copies = copies[thread][symbol(launch.entry).unit];
      if (launch.shared_bytes != seat.dynamic_bytes) seat.dynamic_shared.clear();
      seat.dynamic_bytes = launch.shared_bytes;
      while (seat.dynamic_shared.size() < static_cast<std::size_t>(volume(launch.cluster)))
        seat.dynamic_shared.emplace_back(launch.shared_bytes, kSharedGuard, kSharedAlignment);
      std::vector<ClusterBlock> blocks = blocks_of(launch, own_copies, seat);
      for (std::int64_t first = running.next.fetch_add(running.grain); first < running.clusters;
           first = running.next.fetch_add(running.grain))
        for (std::int64_t cluster = first;
             cluster < std::min(first + running.grain, running.clusters); ++cluster)
          running.run_cluster(cluster, own_copies, blocks, seat);
      running.check_dynamic_shared(seat);
    } catch (...) {
      running.fail(std::current_exception());
    }
  }
};

Kernels::Kernels(std::span<const std::uint8_t> code,
                 const std::map<std::string, std::string>& symbols, Launcher& launcher)
    : state_(std::make_unique<State>(State{launcher, {}, {}, {}, nullptr})) {
  for (const CodeBytes unit : units_of(code)) state_->units.emplace_back(unit.begin(), unit.end());
  const std::size_t units = state_->units.size();
  for (int i = 0; i < launcher.threads(); ++i) state_->copies.emplace_back(units);
  for (std::size_t unit = 0; unit < units; ++unit) state_->load(unit, launcher.threads(), 1);
  for (const auto& [entry, symbol] : symbols) {
    const UnitSymbol found = find_unit(symbol, units);
    const ModuleCopy& first = state_->copies.front()[found.unit].front();
    if (is_constant_key(entry))
      first.variable(found.name);
    else
      first.entry(found.name);
    state_->symbols.emplace(entry, found);
  }
}
Kernels::Kernels(Callable& callable, Launcher& launcher)
    : state_(std::make_unique<State>(State{launcher, {}, {}, {}, &callable})) {}
Kernels::~Kernels() = default;
Kernels::Kernels(Kernels&&) noexcept = default;

LaunchPlan Kernels::ready(LaunchPlan plan) {
  return with_trips(
      with_grids(std::move(plan), [](const PlannedLaunch&) { return kResidentBlocks; }));
}

void Kernels::check_launches(const LaunchPlan& plan, const CallOperands& operands) const {
  for (const PlannedConstant& constant : plan.constants) {
    const auto variable = state_->variable(constant.key);
    std::optional<std::int64_t> bytes;
    if (variable) bytes = static_cast<std::int64_t>(variable->size());
    if (const auto error = constant_error(constant, bytes)) refuse_launch(*error);
  }
  const CallTextures can_be_made(plan, operands);
  const std::vector<std::int64_t> passed = argument_bytes(operands);
  for (const PlannedLaunch& launch : plan.launches) {
    for (std::size_t i = 0; i < 3; ++i)
      if (launch.grid[i] < 1 || launch.block[i] < 1)
        refuse_launch(fmt::format("{}: a launch of no blocks or no threads", launch.entry));
    check_sizes(launch);
    check_cluster(launch);
    check_cooperative(launch);
    for (const PlannedArgument& argument : launch.arguments)
      if (argument.has_map()) check_map(argument);
    const UnitSymbol& symbol = state_->symbol(launch.entry);
    const std::vector<std::int64_t> declared =
        state_->copies.front()[symbol.unit].front().parameter_sizes(symbol.name);
    if (const auto error = parameters_error(launch, declared, passed)) refuse_launch(*error);
  }
}

void Kernels::fill_constants(const LaunchPlan& plan, const CallOperands& operands) const {
  if (plan.constants.empty()) return;
  for (const PlannedLaunch& launch : plan.launches) state_->load_for(launch);
  for (const PlannedConstant& constant : plan.constants) state_->fill(constant, operands);
}

void Kernels::call(const LaunchPlan& plan, const CallOperands& operands, const RunMode& mode,
                   CallPart part) const {
  const bool is_cleared = plan.workspace_zero == Workspace::Fill::each && part == CallPart::call;
  if (is_cleared && plan.workspace_bytes > 0)
    std::memset(operands.memory.workspace, 0, static_cast<std::size_t>(plan.workspace_bytes));
  if (state_->callable != nullptr && part == CallPart::call)
    return tilewright::call(*state_->callable, plan, operands, nullptr);
  const LaunchPlan without_textures;
  const CallTextures textures(part == CallPart::call ? plan : without_textures, operands);
  CallOperands with_textures = operands;
  with_textures.textures = textures.handles();
  for (const PlannedLaunch& launch : plan.launches)
    if (is_in(part, launch)) state_->run(launch, with_textures, mode);
}

}  // namespace tilewright::host
