#include "tuner/cuda/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "definition/text/errors.hpp"
#include "tuner/cuda/compile/architectures.hpp"
#include "tuner/cuda/compile/cubin.hpp"
#include "tuner/cuda/device/devices.hpp"
#include "tuner/cuda/session/graph_timer.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/cuda/session/service_kernels.hpp"
#include "tuner/cuda/session/verifier.hpp"
#include "tuner/measure/sampling.hpp"

namespace tilewright::cuda {
namespace {

// Copies of a prepared input for timed calls, which take turns with them.
struct PreparedCopies {
  GuardedBuffer memory;
  std::vector<std::uint8_t*> places = {};

  std::uint8_t* of_set(int set) const {
    return places.empty() ? nullptr : places[static_cast<std::size_t>(set) % places.size()];
  }
};

struct Loaded {
  std::vector<LaunchPlan> plans;  // by problem
  Kernels kernels;
  GuardedBuffer workspace;
  GuardedBuffer prepared;
  std::deque<Textures> textures;         // by problem
  std::deque<Textures> for_timing = {};  // of the first problem, by operand set
  PreparedCopies copies = {};            // of the first problem
};

void select_device(int index) {
  const DeviceList list = list_devices();
  if (list.devices.empty()) throw MachineError(list.why);
  if (index < 0 || index >= static_cast<int>(list.devices.size()))
    throw broken_machine("there is no device cuda:{}; there are {}", index, list.devices.size());
  check(cudaSetDevice(index), fmt::format("use device cuda:{}", index));
}

// A callable in the place of a library's routine.
class CalledFunction final : public Routine {
 public:
  explicit CalledFunction(Callable& callable) : callable_(callable) {}
  void call(const LaunchPlan& plan, const CallOperands& operands,
            cudaStream_t stream) const override {
    tilewright::call(callable_, plan, operands, stream);
  }

 private:
  Callable& callable_;
};

// The largest that any of the plans needs.
std::int64_t most_of(const std::vector<LaunchPlan>& plans, std::int64_t LaunchPlan::*bytes) {
  return std::ranges::max(plans, {}, bytes).*bytes;
}

class Session final : public Evaluator {
 public:
  explicit Session(const SessionOptions& options) : options_(options) {
    if (options.current_device == SessionOptions::CurrentDevice::callers) callers_device_.emplace();
  }

  void open(const SessionPlan& plan) override {
    close();
    try {
      prepare(plan);
    } catch (const TrialError& error) {
      close();
      throw MachineError("cannot open the session: " + error.failure().message);
    } catch (...) {
      close();
      throw;
    }
  }

  RoutineList list(int device_index, const PlannedRoutine& routine) override {
    select_device(device_index);
    return list_routine(routine, options_.folders);
  }

  Attempt<Resources> load(const KernelPlan& kernel) override {
    loaded_.reset();
    return attempt<Resources>([&] {
      if (problems_.empty()) refuse_launch("the session is not open");
      std::vector<LaunchPlan> plans = kernel.launches;
      plans.resize(problems_.size());
      std::optional<Resources> prepared_function;
      Callable* const callable = options_.callable;
      if (callable != nullptr) prepared_function = tilewright::prepare(*callable, kernel, plans);
      Kernels kernels =
          callable != nullptr
              ? Kernels(std::make_unique<CalledFunction>(*callable), device_)
              : Kernels(kernel.code, kernel.symbols, plans, device_, options_.folders);
      for (LaunchPlan& plan : plans) plan = kernels.ready(std::move(plan));
      GuardedBuffer workspace = make_workspace(most_of(plans, &LaunchPlan::workspace_bytes));
      GuardedBuffer prepared = make_workspace(most_of(plans, &LaunchPlan::prepared_bytes));
      std::deque<Textures> textures;
      for (std::size_t i = 0; i < plans.size(); ++i) {
        CallOperands call = problems_[i].operands.call({workspace.data(), prepared.data()});
        const auto handles = textures.emplace_back(plans[i].textures).find(call.arguments);
        call.textures = handles;
        kernels.check_launches(plans[i], call);
      }
      const Resources resources =
          prepared_function ? *prepared_function : kernels.resources(plans.front(), device_);
      loaded_.emplace(Loaded{std::move(plans), std::move(kernels), std::move(workspace),
                             std::move(prepared), std::move(textures)});
      clear_workspace_once(loaded_->plans.front());
      return resources;
    });
  }

  Attempt<Verification> verify() override {
    return attempt<Verification>([&] {
      if (!loaded_) refuse_launch("no kernel is loaded");
      Verification sum;
      sum.seed = seed_;
      for (std::size_t i = 0; i < problems_.size(); ++i) {
        if (loaded_->plans[i].is_empty()) continue;
        verifier_->check(i,
                         {loaded_->plans[i], loaded_->kernels, loaded_->textures[i],
                          loaded_->workspace, loaded_->prepared},
                         sum);
      }
      return sum;
    });
  }

  Attempt<Timing> sample(const SampleRequest& request) override {
    return attempt<Timing>([&] {
      if (!loaded_) refuse_launch("no kernel is loaded");
      return time(request, loaded_->plans.front());
    });
  }

  std::vector<SimpleAnswer> simple_answers() override { return simple_answers_of(problems_); }

 private:
  void prepare(const SessionPlan& plan) {
    if (plan.problems.empty()) throw InputError("a session needs a problem");
    select_device(plan.device_index);
    device_ = plan.device_index;
    cache_ = plan.cache;
    seed_ = plan.seed;
    stream_ = make_stream();
    if (options_.callable != nullptr) options_.callable->open(plan);
    if (!plan.probe_code.empty()) probe_.emplace(plan.probe_code, device_, stream_.get());
    for (const SessionProblem& problem : plan.problems)
      problems_.push_back(
          checked_problem(problems_.size(), problem,
                          Operands(problem.buffers, plan.seed, options_.guard_bytes, stream_.get()),
                          plan, RunHelper{device_, stream_.get()}));
    verifier_.emplace(problems_, options_.guard_bytes, probe_ ? &*probe_ : nullptr, stream_.get());
  }

  void close() {
    loaded_.reset();
    sets_.reset();
    next_set_ = 0;
    verifier_.reset();
    problems_.clear();
    probe_.reset();
    stream_ = Stream();
    lost_.reset();
  }

  GuardedBuffer make_workspace(std::int64_t bytes) const {
    if (bytes <= 0) return {};
    std::optional<DeviceMemory> memory = try_allocate(bytes + 2 * options_.guard_bytes);
    if (!memory) refuse_launch(fmt::format("no device memory for {} bytes of workspace", bytes));
    GuardedBuffer workspace(std::move(*memory), bytes, options_.guard_bytes);
    workspace.fill_guards(stream_.get());
    return workspace;
  }

  void clear_workspace_once(const LaunchPlan& plan) const {
    if (plan.workspace_zero == Workspace::Fill::once)
      loaded_->workspace.fill(0, stream_.get(), "clearing the workspace");
  }

  const OperandSets& operand_sets_for_timing() {
    if (!sets_) {
      const Operands& operands = problems_.front().operands;
      const int wanted = operand_sets(cache_, operands.device_bytes(), l2_bytes());
      sets_.emplace(operands, wanted, stream_.get());
    }
    return *sets_;
  }

  // Those of the first `count` operand sets, made and filled. What they hold does not change.
  std::deque<Textures>& textures_for_timing(const OperandSets& sets, int count) {
    std::deque<Textures>& made = loaded_->for_timing;
    for (auto set = static_cast<int>(made.size()); set < count; ++set) {
      Textures& own = made.emplace_back(loaded_->plans.front().textures);
      own.find(sets.for_call(set));
      own.fill(sets.for_call(set), stream_.get());
    }
    return made;
  }

  // One for each operand set, or as many as the L2 cannot hold.
  const PreparedCopies& copies_for_timing(const OperandSets& sets, const LaunchPlan& plan) {
    if (plan.prepared_bytes == 0 || !loaded_->copies.places.empty()) return loaded_->copies;
    const std::int64_t step = aligned(plan.prepared_bytes);
    const int count = std::min(sets.count(), operand_sets(cache_, step, l2_bytes()));
    PreparedCopies copies{make_workspace(count * step)};
    for (int set = 0; set < count; ++set) {
      copies.places.push_back(copies.memory.data() + set * step);
      loaded_->kernels.call(plan, {sets.for_call(set), {nullptr, copies.places.back()}},
                            stream_.get(), CallPart::preparation);
    }
    return loaded_->copies = std::move(copies);
  }

  int l2_bytes() const {
    return device_attribute(cudaDevAttrL2CacheSize, device_, "ask for the L2's size");
  }

  Timing time(const SampleRequest& request, const LaunchPlan& plan) {
    const OperandSets& sets = operand_sets_for_timing();
    const Operands& operands = problems_.front().operands;
    operands.restore_inouts();
    clear_workspace_once(plan);
    CallOperands call = operands.call({loaded_->workspace.data()});
    loaded_->kernels.fill_constants(plan, call.arguments, stream_.get());  // alike in every set
    GraphTimer timer(stream_.get(), probe_ ? &*probe_ : nullptr);
    const bool is_warm = request.cache == CachePolicy::warm;
    const int first = is_warm ? 0 : next_set_;
    const int rotated = is_warm ? 1 : sets.count();
    std::deque<Textures>& textures = textures_for_timing(sets, rotated);
    const PreparedCopies& copies = copies_for_timing(sets, plan);
    Timing timing = timer.sample(request, rotated, [&](int number) {
      const int set = (first + number) % rotated;
      call.arguments = sets.for_call(set);
      const auto handles = textures[static_cast<std::size_t>(set)].find(call.arguments);
      call.textures = handles;
      call.memory.prepared = copies.of_set(set);
      loaded_->kernels.call(plan, call, stream_.get());
    });
    const auto samples = static_cast<int>(timing.samples_us.size()) + 1;  // one may be discarded
    if (!is_warm) next_set_ = (first + samples * timing.calls_per_sample) % sets.count();
    return timing;
  }

  // Runs a step of a trial. A TrialError becomes its Failure.
  template <class T>
  Attempt<T> attempt(const auto& step) {
    if (lost_) return *lost_;
    try {
      return step();
    } catch (const TrialError& error) {
      if (error.failure().outcome == Outcome::faulted) lost_ = error.failure();
      return error.failure();
    }
  }

  std::optional<KeepCurrentDevice> callers_device_;  // first, so that it is restored last
  SessionOptions options_;
  int device_ = 0;
  CachePolicy cache_ = CachePolicy::warm;
  std::uint64_t seed_ = 0;
  std::optional<Failure> lost_;  // the fault after which the device cannot be used
  Stream stream_;
  std::optional<ServiceKernels> probe_;
  std::vector<CheckedProblem<Operands>> problems_;
  std::optional<Verifier> verifier_;
  std::optional<OperandSets> sets_;
  // Where the next measurement begins. If samples have parts of a rotation, those that began at the
  // same set each time would find it in the L2.
  int next_set_ = 0;
  std::optional<Loaded> loaded_;
};

}  // namespace

std::unique_ptr<Evaluator> make_session(const SessionOptions& options) {
  return std::make_unique<Session>(options);
}

BackendFacts backend_facts(const Device& device) {
  BackendFacts facts;
  facts.architecture = "sm_" + std::to_string(device.compute_capability);
  CompileRequest& probe = facts.probe.emplace();
  probe.source = probe_source();
  probe.source_name = "service_kernels.cu";
  probe.architecture = facts.architecture;
  probe.entries = probe_entries();
  facts.add_occupancy = add_occupancy;
  facts.kernel_parameters = kernel_parameters;
  return facts;
}

}  // namespace tilewright::cuda
