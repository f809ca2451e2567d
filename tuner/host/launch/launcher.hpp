#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tuner/backend/callable.hpp"
#include "tuner/backend/executable.hpp"
#include "tuner/backend/of_process.hpp"
#include "tuner/host/launch/memory.hpp"
#include "tuner/host/launch/thread_pool.hpp"
#include "tuner/host/threads/fibers.hpp"

namespace tilewright::host {

// How blocks are run: as fast as possible, or so that mistakes of the kernel show.
struct RunMode {
  ThreadOrder order = ThreadOrder::forward;
  enum class Shared { as_left, poisoned } shared = Shared::as_left;  // before each block
};

// The blocks of a launch that are said to fit at once. A cooperative launch may have
// kMostCooperativeBlocks: each keeps a file open.
inline constexpr std::int64_t kResidentBlocks = 16;
inline constexpr std::int64_t kMostCooperativeBlocks = 256;

// The threads that run the blocks of a launch, one for each core. The calling thread is one of
// them.
struct Launcher {
  // What one thread keeps between launches.
  struct Seat {
    ClusterFibers fibers;
    std::vector<GuardedBuffer> dynamic_shared = {};  // of the blocks of a cluster
    std::int64_t dynamic_bytes = -1;
  };

  int threads() const { return static_cast<int>(seats.size()); }

  std::vector<Seat> seats = std::vector<Seat>(std::max(1U, std::thread::hardware_concurrency()));
  OfProcess<ThreadPool> pool{[this] { return std::make_unique<ThreadPool>(threads()); }};
};

// The kernels of one compiled code, loaded once for each thread of a launcher. The launcher must
// outlive them. Every method throws TrialError.
class Kernels {
 public:
  Kernels(std::span<const std::uint8_t> code, const std::map<std::string, std::string>& symbols,
          Launcher& launcher);
  // Without code: plans of prepare() call it.
  Kernels(Callable& callable, Launcher& launcher);
  ~Kernels();
  Kernels(Kernels&&) noexcept;
  Kernels& operator=(Kernels&&) = delete;

  // The plan as it can be run: its grids are numbers, with kResidentBlocks as `resident`, and its
  // loops are written out.
  static LaunchPlan ready(LaunchPlan plan);

  // Takes ready plans, as the functions below do. Refuses impossible launches, and arguments that
  // differ from what the kernel takes.
  void check_launches(const LaunchPlan& plan, const CallOperands& operands) const;

  // Copies the arguments to the variables that the plan fills. To be called before call(), and
  // again when the arguments have changed.
  void fill_constants(const LaunchPlan& plan, const CallOperands& operands) const;

  // Runs all launches of one call, or of the preparation, and waits for them. Before a call it
  // clears the workspace if the plan says so. A divergent barrier and a deadlock are launch_failed.
  void call(const LaunchPlan& plan, const CallOperands& operands, const RunMode& mode,
            CallPart part = CallPart::call) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Loads code of HostCompiler. All executables of a process share one set of threads, so their calls
// run one after another. Throws MachineError for code that does not load or cannot run on the CPU.
std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan);

}  // namespace tilewright::host
