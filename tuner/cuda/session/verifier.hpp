#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/launch/kernels.hpp"
#include "tuner/cuda/launch/textures.hpp"
#include "tuner/cuda/session/operands.hpp"
#include "tuner/cuda/session/service_kernels.hpp"
#include "tuner/verify/checked_problem.hpp"

namespace tilewright::cuda {

// Runs kernels that are not under trial, as checked_problem() wants it.
struct RunHelper {
  int device = 0;
  cudaStream_t stream = nullptr;

  void operator()(const Operands& operands, std::span<const std::uint8_t> code,
                  const std::map<std::string, std::string>& symbols,
                  const LaunchPlan& launches) const {
    const Kernels kernels(code, symbols, {&launches, 1}, device);
    const LaunchPlan plan = kernels.ready(launches);
    GuardedBuffer workspace;
    if (plan.workspace_bytes > 0) {
      workspace = GuardedBuffer(plan.workspace_bytes, 0);
      check(
          cudaMemsetAsync(workspace.data(), 0, static_cast<std::size_t>(workspace.size()), stream),
          "clear the reference's workspace");
    }
    operands.prepare();
    CallOperands call = operands.call({workspace.data()});
    Textures textures(plan.textures);
    const auto handles = textures.find(call.arguments);
    call.textures = handles;
    kernels.check_launches(plan, call);
    kernels.fill_constants(plan, call.arguments, stream);
    textures.fill(call.arguments, stream);
    kernels.call(plan, call, stream);
    check_trial(cudaStreamSynchronize(stream), "run");
  }
};

// What a loaded configuration does for one problem. Owns nothing.
struct LoadedCall {
  const LaunchPlan& plan;
  const Kernels& kernels;
  Textures& textures;
  const GuardedBuffer& workspace;
  const GuardedBuffer& prepared;
};

// Runs loaded kernels on problems and checks what they left in memory. Every failure is a
// TrialError. Afterwards the problem's operands are restored, unless the device is lost.
class Verifier {
 public:
  // `guard_bytes` is the size of the guard zone on each side of every buffer. With `kernels`,
  // checksums find changed inputs; without (null), the inputs are downloaded after each run. All
  // that is passed must outlive the verifier. The inputs must now be as they should be after each
  // run.
  Verifier(std::span<const CheckedProblem<Operands>> problems, std::int64_t guard_bytes,
           const ServiceKernels* kernels, cudaStream_t stream)
      : problems_(problems),
        stream_(stream),
        staging_(room_for(problems, guard_bytes)),
        kernels_(kernels) {
    if (kernels == nullptr) return;
    std::size_t most = 1;
    for (const auto& problem : problems) most = std::max(most, problem.operands.plan().size());
    device_sums_ = allocate(static_cast<std::int64_t>(most * sizeof(std::uint64_t)));
    for (const auto& problem : problems) sums_.push_back(input_sums(problem.operands));
  }

  // Checks one run on problems[number]. Adds to `sum`.
  void check(std::size_t number, const LoadedCall& loaded, Verification& sum) {
    try {
      loaded.workspace.fill(filling_of_workspace(loaded.plan), stream_, "preparing the workspace");
      prepare_input(number, loaded);
      run_on_used_workspace(loaded.plan, sum,
                            [&](Verification& run) { call_and_judge(number, loaded, run); });
    } catch (const TrialError& error) {
      if (error.failure().outcome != Outcome::faulted) {
        problems_[number].operands.repair();
        loaded.workspace.fill_guards(stream_);
        loaded.prepared.fill_guards(stream_);
        check_trial(cudaStreamSynchronize(stream_), "restoring the operands");
      }
      throw;
    }
  }

 private:
  // What a run left in memory. Empty for buffers that it may not write.
  struct Download {
    std::vector<GuardZone> guards;
    std::vector<std::span<const std::uint8_t>> buffers;  // by argument
  };

  // Two guard zones for the workspace, the prepared input and each buffer, and the written buffers.
  static std::int64_t room_for(std::span<const CheckedProblem<Operands>> problems,
                               std::int64_t guard_bytes) {
    std::int64_t most = 0;
    for (const auto& [label, operands, answers] : problems) {
      std::int64_t room = 4 * aligned(guard_bytes);
      for (std::size_t i = 0; i < operands.plan().size(); ++i) {
        if (operands.is_buffer(i)) room += 2 * aligned(guard_bytes);
        if (operands.is_written(i)) room += aligned(operands.device(i).size());
      }
      most = std::max(most, room);
    }
    return most;
  }

  static std::string entries_of(const LaunchPlan& plan) {
    std::vector<std::string> entries;
    if (plan.routine.is_given()) entries.push_back(plan.routine.name);
    for (const PlannedLaunch& launch : plan.launches) entries.push_back(launch.entry);
    return fmt::format("{}", fmt::join(entries, ", "));
  }

  // Before calls, of which none changes what was prepared.
  void prepare_input(std::size_t number, const LoadedCall& loaded) const {
    loaded.prepared.fill(kPoison, stream_, "poisoning the prepared input");
    const CallOperands call = problems_[number].operands.call({nullptr, loaded.prepared.data()});
    loaded.kernels.call(loaded.plan, call, stream_, CallPart::preparation);
  }

  void call_and_judge(std::size_t number, const LoadedCall& loaded, Verification& sum) {
    const auto& problem = problems_[number];
    problem.operands.prepare();
    CallOperands call = problem.operands.call({loaded.workspace.data(), loaded.prepared.data()});
    const auto handles = loaded.textures.find(call.arguments);
    call.textures = handles;
    loaded.kernels.fill_constants(loaded.plan, call.arguments, stream_);
    loaded.textures.fill(call.arguments, stream_);
    loaded.kernels.call(loaded.plan, call, stream_);
    check_trial(cudaStreamSynchronize(stream_),
                fmt::format("running {}{}", entries_of(loaded.plan), problem.label));
    const Download left = collect(problem.operands, loaded);
    for (const GuardZone& guard : left.guards) judge_guard(guard, problem.label);
    judge_inputs(number);
    judge_outputs(
        problem.operands, problem.answers,
        [&](std::size_t argument) { return left.buffers[argument]; }, problem.label, sum);
  }

  // Checksums on the device, by argument; 0 for what is not an input. Waits for the stream.
  std::vector<std::uint64_t> input_sums(const Operands& operands) const {
    constexpr const char* kWhat = "adding up the inputs";
    std::vector<std::uint64_t> sums(operands.plan().size(), 0);
    const std::size_t bytes = sums.size() * sizeof(std::uint64_t);
    auto* const device = static_cast<std::uint64_t*>(device_sums_.get());
    check_trial(cudaMemsetAsync(device, 0, bytes, stream_), kWhat);
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (operands.is_input(i))
        kernels_->add_checksum(operands.device(i).data(), operands.device(i).size(), device + i);
    check_trial(cudaMemcpyAsync(sums.data(), device, bytes, cudaMemcpyDeviceToHost, stream_),
                kWhat);
    check_trial(cudaStreamSynchronize(stream_), kWhat);
    return sums;
  }

  // Compares the bytes only of inputs whose checksum has changed.
  void judge_inputs(std::size_t number) const {
    const auto& [label, operands, answers] = problems_[number];
    std::vector<std::uint64_t> now;
    if (kernels_ != nullptr) now = input_sums(operands);
    for (std::size_t i = 0; i < operands.plan().size(); ++i)
      if (operands.is_input(i) && (kernels_ == nullptr || now[i] != sums_[number][i]))
        judge_input(operands, i, download(operands.device(i), stream_), label);
  }

  Download collect(const Operands& operands, const LoadedCall& loaded) {
    staging_.clear();
    Download result;
    result.buffers.resize(operands.plan().size());
    for (std::size_t i = 0; i < operands.plan().size(); ++i) {
      if (!operands.is_buffer(i)) continue;
      const GuardedBuffer& buffer = operands.device(i);
      fetch_guards(buffer, operands.plan()[i].name, result.guards);
      if (operands.is_written(i)) result.buffers[i] = fetch(buffer.data(), buffer.size());
    }
    for (const auto& [buffer, name] : {std::pair(&loaded.workspace, "the workspace"),
                                       std::pair(&loaded.prepared, "the prepared input")})
      if (buffer->size() > 0) fetch_guards(*buffer, name, result.guards);
    check_trial(cudaStreamSynchronize(stream_), "reading the answers");
    return result;
  }

  std::span<const std::uint8_t> fetch(const std::uint8_t* device, std::int64_t bytes) {
    const std::span<std::uint8_t> host = staging_.take(bytes);
    check_trial(cudaMemcpyAsync(host.data(), device, host.size(), cudaMemcpyDeviceToHost, stream_),
                "reading the answers");
    return host;
  }

  void fetch_guards(const GuardedBuffer& buffer, const std::string& name,
                    std::vector<GuardZone>& guards) {
    const std::int64_t size = buffer.guard_size();
    if (size == 0) return;
    guards.push_back({name, -size, buffer.size(), fetch(buffer.guard_before(), size)});
    guards.push_back({name, buffer.size(), buffer.size(), fetch(buffer.guard_after(), size)});
  }

  std::span<const CheckedProblem<Operands>> problems_;
  cudaStream_t stream_;
  StagingArea staging_;
  const ServiceKernels* kernels_;  // null: inputs are downloaded
  DeviceMemory device_sums_;
  std::vector<std::vector<std::uint64_t>> sums_;  // of the inputs, by problem
};

}  // namespace tilewright::cuda
