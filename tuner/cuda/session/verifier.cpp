#include "tuner/cuda/session/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"
#include "tuner/backend/reference_note.hpp"

namespace tilewright::cuda {

// A guard zone as the device left it.
struct Verifier::Guard {
  std::string buffer;
  std::int64_t offset = 0;  // of its first byte from the buffer's first
  std::int64_t buffer_bytes = 0;
  std::span<const std::uint8_t> bytes;
};

// What a run left in memory. Empty for buffers that it may not write.
struct Verifier::Download {
  std::vector<Guard> guards;
  std::vector<std::span<const std::uint8_t>> buffers;  // by argument
};

namespace {

using Workspacing = Workspace::Fill;

// Two guard zones for the workspace and for each buffer, and the written buffers.
std::int64_t room_for(const CheckedProblem& problem, std::int64_t guard_bytes) {
  const Operands& operands = problem.operands;
  std::int64_t room = 2 * aligned(guard_bytes);
  for (std::size_t i = 0; i < operands.plan().size(); ++i) {
    if (!operands.is_buffer(i)) continue;
    room += 2 * aligned(guard_bytes);
    if (operands.is_written(i)) room += aligned(operands.device(i).size());
  }
  return room;
}

std::int64_t room_for(std::span<const CheckedProblem> problems, std::int64_t guard_bytes) {
  std::int64_t room = 0;
  for (const CheckedProblem& problem : problems)
    room = std::max(room, room_for(problem, guard_bytes));
  return room;
}

std::string entries_of(const LaunchPlan& plan) {
  std::string text;
  for (const PlannedLaunch& launch : plan.launches)
    text += (text.empty() ? "" : ", ") + launch.entry;
  return text;
}

// Poisons the workspace, so that a kernel that reads what it never wrote gives wrong answers. A
// workspace that the plan clears once is cleared here; one that it clears each time, by the call.
void prepare_workspace(const LaunchPlan& plan, const GuardedBuffer& workspace,
                       cudaStream_t stream) {
  if (workspace.size() == 0) return;
  const int value = plan.workspace_zero == Workspacing::once ? 0 : kPoison;
  check_trial(
      cudaMemsetAsync(workspace.data(), value, static_cast<std::size_t>(workspace.size()), stream),
      "preparing the workspace");
}

void judge_outputs(const CheckedProblem& problem,
                   const std::vector<std::span<const std::uint8_t>>& buffers, Verification& sum) {
  for (const Expected& expected : problem.answers) {
    const auto index = static_cast<std::size_t>(expected.argument);
    const PlannedBuffer& buffer = problem.operands.plan()[index];
    const OutputComparison comparison =
        compare_output(buffers[index], buffer, expected, problem.rules.comparison);
    sum.outputs_checked += comparison.checked;
    sum.outputs_total += buffer.count;
    sum.worst_error = std::max(sum.worst_error, comparison.worst_error);
    sum.worst_ratio = std::max(sum.worst_ratio, comparison.worst_ratio);
    if (!comparison.message.empty())
      throw TrialError(Outcome::wrong_answer, comparison.message + problem.label);
  }
}

constexpr std::int64_t kMostOfKernelReference = 1 << 24;

// One call of a kernel that is not under trial. Waits for it.
void run_once(const Kernels& kernels, const LaunchPlan& plan, const Operands& operands,
              std::uint8_t* workspace, cudaStream_t stream) {
  const Textures textures(plan.textures, operands.pointers());
  CallOperands call = operands.call(workspace);
  call.textures = textures.handles();
  kernels.check_launches(plan, call);
  kernels.fill_constants(plan, call.pointers, stream);
  textures.fill(call.pointers, stream);
  kernels.call(plan, call, stream);
  check_trial(cudaStreamSynchronize(stream), "run");
}

void run_reference(const ReferencePlan& reference, const Operands& operands, int device,
                   cudaStream_t stream) {
  const Kernels kernels(reference.code, reference.symbols, {&reference.launches, 1}, device);
  const LaunchPlan plan = kernels.ready(reference.launches);
  GuardedBuffer workspace;
  if (plan.workspace_bytes > 0) {
    workspace = GuardedBuffer(plan.workspace_bytes, 0);
    check(cudaMemsetAsync(workspace.data(), 0, static_cast<std::size_t>(workspace.size()), stream),
          "clear the reference's workspace");
  }
  operands.prepare(stream);
  run_once(kernels, plan, operands, workspace.data(), stream);
}

std::vector<Expected> from_kernel(const SessionProblem& problem, const Operands& operands,
                                  std::uint64_t seed, int device, cudaStream_t stream) {
  run_reference(problem.reference, operands, device, stream);
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!operands.is_written(i)) continue;
    const PlannedBuffer& buffer = problem.buffers[i];
    answers.push_back(expected_from(
        download(operands.device(i), stream), buffer, static_cast<int>(i),
        elements_to_check(
            buffer.count,
            problem.reference.comparison.reduced ? buffer.count : kMostOfKernelReference, seed)));
  }
  operands.repair(stream);
  check_trial(cudaStreamSynchronize(stream), "restoring the operands");
  return answers;
}

}  // namespace

void run_fills(const SessionProblem& problem, Operands& operands, int device, cudaStream_t stream) {
  for (const FillPlan& fill : problem.fills) {
    const auto index = static_cast<std::size_t>(fill.argument);
    try {
      const Kernels kernels(fill.code, fill.symbols, {&fill.launches, 1}, device);
      run_once(kernels, kernels.ready(fill.launches), operands, nullptr, stream);
    } catch (const TrialError& error) {
      throw MachineError(fmt::format("the kernel that fills '{}' of {} failed ({}): {}",
                                     problem.buffers[index].name, problem.problem.operation,
                                     to_text(problem.problem.values), error.failure().message));
    }
    operands.keep(index, stream);
    operands.repair(stream);  // what else it wrote does not count
    operands.prepare(stream);
    check_trial(cudaStreamSynchronize(stream), "restoring the operands");
  }
}

std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    const CheckLimits& limits, std::uint64_t seed, int device,
                                    cudaStream_t stream) {
  if (!problem.reference.given.empty()) return given_answers(problem, seed);
  if (!problem.reference.builtin.empty())
    return builtin_answers(problem, operands.host(), limits, seed);
  try {
    return from_kernel(problem, operands, seed, device, stream);
  } catch (const TrialError& error) {
    throw MachineError(fmt::format("the reference kernel of {} failed ({}): {}{}",
                                   problem.problem.operation, to_text(problem.problem.values),
                                   error.failure().message, integer_fill_note(problem)));
  }
}

Verifier::Verifier(std::span<const CheckedProblem> problems, std::int64_t guard_bytes,
                   const ServiceKernels* kernels, cudaStream_t stream)
    : problems_(problems),
      stream_(stream),
      staging_(room_for(problems, guard_bytes)),
      kernels_(kernels) {
  if (kernels == nullptr) return;
  std::size_t most = 1;
  for (const CheckedProblem& problem : problems)
    most = std::max(most, problem.operands.plan().size());
  device_sums_ = allocate(static_cast<std::int64_t>(most * sizeof(std::uint64_t)));
  for (const CheckedProblem& problem : problems) sums_.push_back(input_sums(problem.operands));
}

std::vector<std::uint64_t> Verifier::input_sums(const Operands& operands) const {
  constexpr const char* kWhat = "adding up the inputs";
  std::vector<std::uint64_t> sums(operands.plan().size(), 0);
  const std::size_t bytes = sums.size() * sizeof(std::uint64_t);
  auto* const device = static_cast<std::uint64_t*>(device_sums_.get());
  check_trial(cudaMemsetAsync(device, 0, bytes, stream_), kWhat);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (operands.is_input(i))
      kernels_->add_checksum(operands.device(i).data(), operands.device(i).size(), device + i);
  check_trial(cudaMemcpyAsync(sums.data(), device, bytes, cudaMemcpyDeviceToHost, stream_), kWhat);
  check_trial(cudaStreamSynchronize(stream_), kWhat);
  return sums;
}

void Verifier::check(std::size_t number, const LoadedCall& loaded, Verification& sum) {
  const CheckedProblem& problem = problems_[number];
  try {
    prepare_workspace(loaded.plan, loaded.workspace, stream_);
    if (loaded.plan.workspace_bytes > 0) {  // what it leaves there must be good for the next call
      Verification first;
      call_and_judge(number, loaded, first);
      sum.worst_error = std::max(sum.worst_error, first.worst_error);
      sum.worst_ratio = std::max(sum.worst_ratio, first.worst_ratio);
    }
    call_and_judge(number, loaded, sum);
  } catch (const TrialError& error) {
    if (error.failure().outcome != Outcome::faulted) {
      problem.operands.repair(stream_);
      loaded.workspace.fill_guards(stream_);
      check_trial(cudaStreamSynchronize(stream_), "restoring the operands");
    }
    throw;
  }
}

void Verifier::call_and_judge(std::size_t number, const LoadedCall& loaded, Verification& sum) {
  const CheckedProblem& problem = problems_[number];
  problem.operands.prepare(stream_);
  CallOperands call = problem.operands.call(loaded.workspace.data());
  call.textures = loaded.textures.handles();
  loaded.kernels.fill_constants(loaded.plan, call.pointers, stream_);
  loaded.textures.fill(call.pointers, stream_);
  loaded.kernels.call(loaded.plan, call, stream_);
  check_trial(cudaStreamSynchronize(stream_),
              fmt::format("running {}{}", entries_of(loaded.plan), problem.label));
  const Download left = collect(problem, loaded.workspace);
  for (const Guard& guard : left.guards)
    if (const auto damage = first_damage(guard.bytes))
      throw TrialError(
          Outcome::wrote_out_of_bounds,
          fmt::format("wrote outside {}: changed the byte at offset {} of its {} bytes{}",
                      guard.buffer, guard.offset + *damage, guard.buffer_bytes, problem.label));
  judge_inputs(number);
  judge_outputs(problem, left.buffers, sum);
}

// Compares the bytes only of inputs whose checksum has changed.
void Verifier::judge_inputs(std::size_t number) const {
  const CheckedProblem& problem = problems_[number];
  const Operands& operands = problem.operands;
  std::vector<std::uint64_t> now;
  if (kernels_ != nullptr) now = input_sums(operands);
  for (std::size_t i = 0; i < operands.plan().size(); ++i)
    if (operands.is_input(i) && (kernels_ == nullptr || now[i] != sums_[number][i]))
      judge_input(problem, i);
}

void Verifier::judge_input(const CheckedProblem& problem, std::size_t argument) const {
  const std::vector<std::uint8_t>& before = problem.operands.host()[argument];
  const std::vector<std::uint8_t> after = download(problem.operands.device(argument), stream_);
  const auto differs = std::ranges::mismatch(before, after);
  if (differs.in1 == before.end()) return;
  throw TrialError(
      Outcome::wrote_out_of_bounds,
      fmt::format("changed the input {} at byte {}{}", problem.operands.plan()[argument].name,
                  differs.in1 - before.begin(), problem.label));
}

Verifier::Download Verifier::collect(const CheckedProblem& problem,
                                     const GuardedBuffer& workspace) {
  staging_.clear();
  const Operands& operands = problem.operands;
  Download result;
  result.buffers.resize(operands.plan().size());
  for (std::size_t i = 0; i < operands.plan().size(); ++i) {
    if (!operands.is_buffer(i)) continue;
    const GuardedBuffer& buffer = operands.device(i);
    fetch_guards(buffer, operands.plan()[i].name, result.guards);
    if (operands.is_written(i)) result.buffers[i] = fetch(buffer.data(), buffer.size());
  }
  if (workspace.size() > 0) fetch_guards(workspace, "the workspace", result.guards);
  check_trial(cudaStreamSynchronize(stream_), "reading the answers");
  return result;
}

std::span<const std::uint8_t> Verifier::fetch(const std::uint8_t* device, std::int64_t bytes) {
  const std::span<std::uint8_t> host = staging_.take(bytes);
  check_trial(cudaMemcpyAsync(host.data(), device, host.size(), cudaMemcpyDeviceToHost, stream_),
              "reading the answers");
  return host;
}

void Verifier::fetch_guards(const GuardedBuffer& buffer, const std::string& name,
                            std::vector<Guard>& guards) {
  const std::int64_t size = buffer.guard_size();
  if (size == 0) return;
  guards.push_back({name, -size, buffer.size(), fetch(buffer.guard_before(), size)});
  guards.push_back({name, buffer.size(), buffer.size(), fetch(buffer.guard_after(), size)});
}

}  // namespace tilewright::cuda
