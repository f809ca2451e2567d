#include "tuner/worker/device_client.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/worker/answers.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

using std::chrono::milliseconds;

// How long a live process may take to release the device.
constexpr milliseconds kDeviceGrace{2000};

// How long a process that has closed its output may take to end and free its device memory.
constexpr milliseconds kDeathGrace{10'000};

// How often a time is taken if the program is stopped each time.
constexpr int kMostTimings = 5;

nlohmann::json request(const char* verb, nlohmann::json argument = nullptr) {
  return {{"verb", verb}, {"argument", std::move(argument)}};
}

constexpr int kTimesSlowest = 20;

// How much longer than on a GPU a step may take on the CPU, which verifies in three orders. The
// first may not: a person waits for it.
constexpr int kSlownessOfHost = 3;

// How long one kind of step may take, and has taken.
struct Pace {
  StepLimit limit;
  milliseconds slowest{0};  // of its successful steps
};

class DeviceClient final : public Evaluator {
 public:
  explicit DeviceClient(DeviceClientOptions options) : options_(std::move(options)) {}
  ~DeviceClient() override {
    if (process_) process_->stop(kDeviceGrace);
  }

  void open(const SessionPlan& plan) override {
    plan_ = plan;
    loaded_ = false;
    open_session(Patience::until_stop);
  }

  // A library that does not answer costs its process, and the sweep goes on without it.
  RoutineList list(int device_index, const PlannedRoutine& routine) override {
    start_process();
    loaded_ = false;
    const auto listed =
        exchange<RoutineList>(request("list", RoutineQuestion{device_index, routine}),
                              options_.limits.open, Patience::full);
    return listed.ok() ? listed.value() : RoutineList{{}, listed.failure().message};
  }

  Attempt<Resources> load(const KernelPlan& kernel) override {
    loaded_ = false;
    auto resources = step_of_trial<Resources>(request("load", kernel), load_pace_);
    loaded_ = resources.ok();
    return resources;
  }

  Attempt<Verification> verify() override {
    return step_with_kernel<Verification>(request("verify"), verify_pace_);
  }

  Attempt<Timing> sample(const SampleRequest& sample) override {
    for (int timings = 1;; ++timings) {
      auto timing = step_with_kernel<Timing>(
          request("sample", sample), sample_pace_,
          [&sample](const Timing& given) { require_asked(given, sample); });
      if (!timing.ok() || !saw_stop_ || timings == kMostTimings) return timing;
    }
  }

  std::vector<SimpleAnswer> simple_answers() override {
    Pace pace{StepLimit::fixed_at(options_.limits.open)};
    const auto ask = [&] {
      return step<std::vector<SimpleAnswer>>(request("simple_answers"), pace, Patience::full);
    };
    auto answer = ask();
    if (!answer.ok() && answer.failure().outcome == Outcome::machine_failed) answer = ask();
    if (!answer.ok()) throw DeviceLost(answer.failure().message);
    return answer.value();
  }

  int restarts() const override { return std::max(0, started_ - 1); }

 private:
  enum class Patience { full, until_stop, until_skip };

  void start_process() {
    if (process_) return;
    process_.emplace(ProcessOptions{options_.worker, options_.arguments, 0});
    ++started_;
  }

  // Afterwards the session is open, or `stop` is set and there is no worker.
  void open_session(Patience patience) {
    if (options_.stop == nullptr) patience = Patience::full;
    const nlohmann::json message = request("open", *plan_);
    for (const bool is_last : {false, true}) {
      start_process();
      const auto opened = exchange<std::nullptr_t>(message, options_.limits.open, patience);
      if (opened.ok() || (patience == Patience::until_stop && *options_.stop)) return;
      if (is_last || opened.failure().outcome != Outcome::machine_failed)
        throw DeviceLost(opened.failure().message);
    }
  }

  // True if patience ends before the worker answers or dies.
  bool is_left_before_answer(Deadline& deadline, Patience patience) const {
    if (patience == Patience::full) return false;
    const auto is_over = [&] {
      return patience == Patience::until_stop ? options_.stop->load()
                                              : options_.skips->asked != skips_before_;
    };
    pollfd entry = {process_->output(), POLLIN, 0};
    while (!deadline.look()) {
      if (is_over()) return true;
      if (poll(&entry, 1, deadline.until_look()) > 0) return false;
    }
    return false;
  }

  Deadline deadline_after(milliseconds limit) const {
    return Deadline::of_child(limit, options_.limits.counts, process_->id());
  }

  void drop() noexcept {
    process_.reset();
    loaded_ = false;
  }

  template <class T>
  using Check = std::function<void(const T&)>;

  // Sends a message and returns its answer. Drops the worker if it dies, says something wrong or
  // loses its device. Throws an error that the worker reports.
  template <class T>
  Attempt<T> exchange(const nlohmann::json& message, milliseconds limit, Patience patience,
                      const Check<T>& check = {}) {
    const auto reply = reply_to(message, limit, patience);
    if (!reply.ok()) return reply.failure();
    try {
      const auto answer = read_attempt<T>(reply.value());
      if (answer.ok() && check) as_answer([&] { check(answer.value()); });
      if (!answer.ok() && answer.failure().outcome == Outcome::faulted) drop();
      return answer;
    } catch (const BadAnswer& error) {
      drop();
      return said_something_wrong(message, error.what());
    } catch (const std::exception&) {
      drop();
      throw;
    }
  }

  static Failure said_something_wrong(const nlohmann::json& message, const char* what) {
    return {Outcome::faulted, fmt::format("the device process said something wrong in '{}': {}",
                                          message["verb"].get<std::string>(), what)};
  }

  Attempt<nlohmann::json> reply_to(const nlohmann::json& message, milliseconds limit,
                                   Patience patience) {
    const auto verb = message["verb"].get<std::string>();
    nlohmann::json reply;
    Deadline deadline = deadline_after(limit);
    // A worker that has ended may have said why, so its answer counts even if the write failed.
    write_message(process_->input(), message, deadline);
    if (is_left_before_answer(deadline, patience)) {
      drop();
      if (patience == Patience::until_stop) return Failure{Outcome::timed_out, "interrupted"};
      return Failure{Outcome::timed_out, fmt::format("skipped by hand in '{}'", verb)};
    }
    const ReadStatus status = read_message(process_->output(), reply, deadline);
    deadline.look();
    took_ = deadline.spent();
    saw_stop_ = deadline.saw_stop();
    if (status == ReadStatus::timed_out) {
      drop();
      return Failure{Outcome::timed_out,
                     fmt::format("the device process gave no answer to '{}' within {}", verb,
                                 deadline.text())};
    }
    if (status == ReadStatus::malformed) {
      drop();
      return said_something_wrong(message, kDamaged);
    }
    if (status != ReadStatus::message) return lose(verb);
    return reply;
  }

  Failure lose(const std::string& verb) {
    const ExitStatus end = process_->stop(kDeathGrace);
    drop();
    const bool is_outside = was_killed_from_outside(end);
    const bool ran_kernels = verb == "open" && plan_ && !is_outside;
    return {is_outside ? Outcome::machine_failed : Outcome::faulted,
            fmt::format("the device process died in '{}': {}{}", verb, to_text(end),
                        ran_kernels ? opening_note(*plan_) : "")};
  }

  template <class T>
  Attempt<T> step(const nlohmann::json& message, Pace& pace, Patience patience,
                  const Check<T>& check = {}) {
    if (!plan_) throw MachineError("the device session is not open");
    if (!process_) open_session(Patience::full);
    auto answer = exchange<T>(message, limit_of(pace.limit, pace.slowest), patience, check);
    if (answer.ok()) pace.slowest = std::max(pace.slowest, took_);
    return answer;
  }

  template <class T>
  Attempt<T> step_of_trial(const nlohmann::json& message, Pace& pace, const Check<T>& check = {}) {
    if (options_.skips == nullptr) return step<T>(message, pace, Patience::full, check);
    struct Running {
      std::atomic<int>& count;
      explicit Running(std::atomic<int>& running) : count(running) { ++count; }
      ~Running() { --count; }
      Running(const Running&) = delete;
      Running& operator=(const Running&) = delete;
    };
    skips_before_ = options_.skips->asked;
    const Running running(options_.skips->running);
    return step<T>(message, pace, Patience::until_skip, check);
  }

  template <class T>
  Attempt<T> step_with_kernel(const nlohmann::json& message, Pace& pace,
                              const Check<T>& check = {}) {
    if (!loaded_) return Failure{Outcome::launch_failed, "no kernel is loaded"};
    return step_of_trial<T>(message, pace, check);
  }

  DeviceClientOptions options_;
  Pace load_pace_{options_.limits.load};
  Pace verify_pace_{options_.limits.verify};
  Pace sample_pace_{options_.limits.sample};
  std::optional<Process> process_;
  std::optional<SessionPlan> plan_;
  bool loaded_ = false;
  bool saw_stop_ = false;  // in the last step, of this program
  unsigned skips_before_ = 0;
  milliseconds took_{0};  // the last step
  int started_ = 0;
};

}  // namespace

StepLimits step_limits_for(DeviceKind kind) {
  StepLimits limits;
  if (!runs_on_cpu(kind)) return limits;
  limits.counts = TimeLimit::processor_time;
  for (StepLimit* limit : {&limits.load, &limits.verify, &limits.sample})
    limit->floor *= kSlownessOfHost;
  return limits;
}

std::chrono::milliseconds limit_of(const StepLimit& limit, std::chrono::milliseconds slowest) {
  if (limit.kind == StepLimit::Kind::fixed || slowest.count() == 0) return limit.start;
  return std::max(limit.floor, kTimesSlowest * slowest);
}

std::unique_ptr<Evaluator> make_device_client(DeviceClientOptions options) {
  return std::make_unique<DeviceClient>(std::move(options));
}

}  // namespace tilewright
