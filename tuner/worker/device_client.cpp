// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/worker/device_client.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/messages.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

// For a process that has closed its output to be gone, and for a live one to leave the device
// in order.
constexpr milliseconds kGrace{2000};

Json request(const char* verb) {
  return {{"verb", verb}};
}

Json request(const char* verb, Json argument) {
  return {{"verb", verb}, {"argument", std::move(argument)}};
}

double seconds(milliseconds limit) {
  return static_cast<double>(limit.count()) / 1000;
}

}  // namespace

struct DeviceClient::State {
  DeviceClientOptions options;
  std::optional<Process> process;
  std::optional<SessionPlan> plan;
  bool loaded = false;
  int started = 0;

  void start();
  void replay_open();
  void drop() noexcept;
  Attempt<Json> exchange(const Json& message, milliseconds limit);
  Attempt<Json> step(const Json& message);
  template <class T>
  Attempt<T> step_with_kernel(const Json& message);
};

void DeviceClient::State::start() {
  process.emplace(ProcessOptions{options.worker, options.arguments, 0});
  ++started;
}

void DeviceClient::State::drop() noexcept {
  process.reset();
  loaded = false;
}

// One message and its answer's "ok". Whatever costs the worker its life, or its device, also
// drops it here. Throws what the worker reports as an error.
Attempt<Json> DeviceClient::State::exchange(const Json& message, milliseconds limit) {
  Json reply;
  // A worker that has gone already may have said why: its answer counts even if the write failed.
  write_message(process->input(), message, limit);
  const ReadStatus status = read_message(process->output(), reply, limit);
  if (status == ReadStatus::timed_out) {
    drop();
    return Failure{Outcome::timed_out,
                   fmt::format("the device process gave no answer to '{}' within {:.6g} s",
                               message["verb"].get<std::string>(), seconds(limit))};
  }
  if (status != ReadStatus::message) {
    const ExitStatus end = process->stop(kGrace);
    drop();
    return Failure{Outcome::faulted, fmt::format("the device process died in '{}': {}",
                                                 message["verb"].get<std::string>(), to_text(end))};
  }
  if (const auto ok = reply.find("ok"); ok != reply.end()) return std::move(*ok);
  if (const auto failed = reply.find("failure"); failed != reply.end()) {
    auto failure = failed->get<Failure>();
    if (failure.outcome == Outcome::faulted) drop();
    return failure;
  }
  drop();
  if (const auto text = reply.find("input_error"); text != reply.end())
    throw InputError(text->get<std::string>());
  throw MachineError(reply.value("machine_error", "the device process sent an unknown answer"));
}

void DeviceClient::State::replay_open() {
  const Attempt<Json> opened = exchange(request("open", *plan), options.open_limit);
  if (!opened.ok()) throw MachineError(opened.failure().message);
}

Attempt<Json> DeviceClient::State::step(const Json& message) {
  if (!plan) throw MachineError("the device session is not open");
  if (!process) {
    start();
    replay_open();
  }
  return exchange(message, options.step_limit);
}

template <class T>
Attempt<T> DeviceClient::State::step_with_kernel(const Json& message) {
  if (!loaded) return Failure{Outcome::launch_failed, "no kernel is loaded"};
  const Attempt<Json> answer = step(message);
  if (!answer.ok()) return answer.failure();
  return answer.value().template get<T>();
}

DeviceClient::DeviceClient(DeviceClientOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

DeviceClient::~DeviceClient() {
  if (state_->process) state_->process->stop(kGrace);
}

void DeviceClient::open(const SessionPlan& plan) {
  state_->plan = plan;
  state_->loaded = false;
  if (!state_->process) state_->start();
  state_->replay_open();
}

Attempt<Resources> DeviceClient::load(const KernelPlan& kernel) {
  state_->loaded = false;
  const Attempt<Json> answer = state_->step(request("load", kernel));
  if (!answer.ok()) return answer.failure();
  state_->loaded = true;
  return answer.value().get<Resources>();
}

Attempt<Verification> DeviceClient::verify() {
  return state_->step_with_kernel<Verification>(request("verify"));
}

Attempt<Timing> DeviceClient::sample(const SampleRequest& sample) {
  return state_->step_with_kernel<Timing>(request("sample", sample));
}

// Where the worker is gone, or goes now, so is the kernel.
void DeviceClient::unload() {
  if (state_->loaded && state_->process) state_->step(request("unload"));
  state_->loaded = false;
}

int DeviceClient::restarts() const {
  return std::max(0, state_->started - 1);
}

}  // namespace tilewright
