#include "tuner/worker/device_client.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/backend/reference_note.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/deadline.hpp"
#include "tuner/worker/messages.hpp"
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

nlohmann::json request(const char* verb) {
  return {{"verb", verb}};
}

nlohmann::json request(const char* verb, nlohmann::json argument) {
  return {{"verb", verb}, {"argument", std::move(argument)}};
}

constexpr int kTimesSlowest = 20;

// How much longer a step may take than on a GPU.
int slowness(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
      return 1;
    case DeviceKind::host:
      return 3;  // because it verifies in three orders
  }
  return 1;
}

// How long one kind of step may take, and has taken.
struct Pace {
  StepLimit limit;
  milliseconds slowest{0};  // of its successful steps
};

}  // namespace

StepLimit StepLimit::fixed_at(std::chrono::milliseconds limit) {
  return {limit, limit, Kind::fixed};
}

StepLimits StepLimits::fixed_at(std::chrono::milliseconds limit) {
  StepLimits limits;
  limits.load = limits.verify = limits.sample = StepLimit::fixed_at(limit);
  return limits;
}

StepLimits step_limits_for(DeviceKind kind) {
  StepLimits limits;
  for (StepLimit* limit : {&limits.load, &limits.verify, &limits.sample}) {
    limit->start *= slowness(kind);
    limit->floor *= slowness(kind);
  }
  if (runs_on_cpu(kind)) limits.counts = StepLimits::Counts::processor_time;
  return limits;
}

std::chrono::milliseconds limit_of(const StepLimit& limit, std::chrono::milliseconds slowest) {
  if (limit.kind == StepLimit::Kind::fixed || slowest.count() == 0) return limit.start;
  return std::max(limit.floor, kTimesSlowest * slowest);
}

struct DeviceClient::State {
  explicit State(DeviceClientOptions given) : options(std::move(given)) {}

  DeviceClientOptions options;
  Pace load{options.limits.load}, verify{options.limits.verify}, sample{options.limits.sample};
  std::optional<Process> process;
  std::optional<SessionPlan> plan;
  bool loaded = false;
  bool saw_stop = false;  // in the last step, of this program
  milliseconds took{0};   // the last step
  int started = 0;

  void start() {
    process.emplace(ProcessOptions{options.worker, options.arguments, 0});
    ++started;
  }

  enum class Patience { full, until_stop };

  // Afterwards the session is open, or `stop` is set and there is no worker.
  void open_session(Patience patience) {
    if (options.stop == nullptr) patience = Patience::full;
    const nlohmann::json message = request("open", *plan);
    for (const bool is_last : {false, true}) {
      if (!process) start();
      const Attempt<nlohmann::json> opened = exchange(message, options.limits.open, patience);
      if (opened.ok() || (patience == Patience::until_stop && *options.stop)) return;
      if (is_last || opened.failure().outcome != Outcome::machine_failed)
        throw DeviceLost(opened.failure().message);
    }
  }

  // True if `stop` is set before the worker answers or dies.
  bool is_stopped_before_answer(Deadline& deadline) const {
    pollfd entry = {process->output(), POLLIN, 0};
    while (!deadline.look()) {
      if (*options.stop) return true;
      if (poll(&entry, 1, deadline.until_look()) > 0) return false;
    }
    return false;
  }

  Deadline deadline_after(milliseconds limit) const {
    return options.limits.counts == StepLimits::Counts::processor_time
               ? Deadline::of_process(limit, process->id())
               : Deadline(limit);
  }

  void drop() noexcept {
    process.reset();
    loaded = false;
  }

  // Sends a message and returns the "ok" of its answer. Drops the worker if it dies or loses its
  // device. Throws an error that the worker reports.
  Attempt<nlohmann::json> exchange(const nlohmann::json& message, milliseconds limit,
                                   Patience patience = Patience::full) {
    nlohmann::json reply;
    Deadline deadline = deadline_after(limit);
    // A worker that has ended may have said why, so its answer counts even if the write failed.
    write_message(process->input(), message, deadline);
    if (patience == Patience::until_stop && is_stopped_before_answer(deadline)) {
      drop();
      return Failure{Outcome::timed_out, "interrupted"};
    }
    const ReadStatus status = read_message(process->output(), reply, deadline);
    deadline.look();
    took = deadline.spent();
    saw_stop = deadline.saw_stop();
    if (status == ReadStatus::timed_out) {
      drop();
      return Failure{Outcome::timed_out,
                     fmt::format("the device process gave no answer to '{}' within {}",
                                 message["verb"].get<std::string>(), deadline.text())};
    }
    if (status != ReadStatus::message) return lose(message["verb"].get<std::string>());
    if (const auto ok = reply.find("ok"); ok != reply.end()) return std::move(*ok);
    if (const auto failed = reply.find("failure"); failed != reply.end()) {
      auto failure = failed->get<Failure>();
      if (failure.outcome == Outcome::faulted) drop();
      return failure;
    }
    drop();
    if (const auto text = reply.find("input_error"); text != reply.end())
      throw InputError(text->get<std::string>());
    throw DeviceLost(reply.value("machine_error", "the device process sent an unknown answer"));
  }

  Failure lose(const std::string& verb) {
    const ExitStatus end = process->stop(kDeathGrace);
    drop();
    const bool is_outside = was_killed_from_outside(end);
    const bool ran_kernels = verb == "open" && plan && !is_outside;
    return {is_outside ? Outcome::machine_failed : Outcome::faulted,
            fmt::format("the device process died in '{}': {}{}", verb, to_text(end),
                        ran_kernels ? opening_note(*plan) : "")};
  }

  Attempt<nlohmann::json> step(const nlohmann::json& message, Pace& pace) {
    if (!plan) throw MachineError("the device session is not open");
    if (!process) open_session(Patience::full);
    Attempt<nlohmann::json> answer = exchange(message, limit_of(pace.limit, pace.slowest));
    if (answer.ok()) pace.slowest = std::max(pace.slowest, took);
    return answer;
  }

  template <class T>
  Attempt<T> step_with_kernel(const nlohmann::json& message, Pace& pace) {
    if (!loaded) return Failure{Outcome::launch_failed, "no kernel is loaded"};
    const Attempt<nlohmann::json> answer = step(message, pace);
    if (!answer.ok()) return answer.failure();
    return answer.value().template get<T>();
  }
};

DeviceClient::DeviceClient(DeviceClientOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

DeviceClient::~DeviceClient() {
  if (state_->process) state_->process->stop(kDeviceGrace);
}

void DeviceClient::open(const SessionPlan& plan) {
  state_->plan = plan;
  state_->loaded = false;
  state_->open_session(State::Patience::until_stop);
}

Attempt<Resources> DeviceClient::load(const KernelPlan& kernel) {
  state_->loaded = false;
  const Attempt<nlohmann::json> answer = state_->step(request("load", kernel), state_->load);
  if (!answer.ok()) return answer.failure();
  state_->loaded = true;
  return answer.value().get<Resources>();
}

Attempt<Verification> DeviceClient::verify() {
  return state_->step_with_kernel<Verification>(request("verify"), state_->verify);
}

Attempt<Timing> DeviceClient::sample(const SampleRequest& sample) {
  for (int timings = 1;; ++timings) {
    auto timing = state_->step_with_kernel<Timing>(request("sample", sample), state_->sample);
    if (!timing.ok() || !state_->saw_stop || timings == kMostTimings) return timing;
  }
}

std::vector<SimpleAnswer> DeviceClient::simple_answers() {
  Pace pace{StepLimit::fixed_at(state_->options.limits.open)};
  const auto ask = [&] { return state_->step(request("simple_answers"), pace); };
  Attempt<nlohmann::json> answer = ask();
  if (!answer.ok() && answer.failure().outcome == Outcome::machine_failed) answer = ask();
  if (!answer.ok()) throw DeviceLost(answer.failure().message);
  return answer.value().get<std::vector<SimpleAnswer>>();
}

int DeviceClient::restarts() const {
  return std::max(0, state_->started - 1);
}

}  // namespace tilewright
