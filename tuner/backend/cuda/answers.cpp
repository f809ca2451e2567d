// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/backend/cuda/answers.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "tilewright/error.hpp"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t kMostOfKernelReference = 1 << 24;

template <class Element>
double read(const std::uint8_t* bytes) {
  Element element;
  std::memcpy(&element, bytes, sizeof element);
  return static_cast<double>(element);
}

double read(ElementType type, const std::uint8_t* bytes) {
  switch (type) {
    case ElementType::float32:
      return read<float>(bytes);
    case ElementType::float64:
      return read<double>(bytes);
    case ElementType::int32:
      return read<std::int32_t>(bytes);
    case ElementType::uint32:
      return read<std::uint32_t>(bytes);
    case ElementType::int64:
      return read<std::int64_t>(bytes);
    case ElementType::uint64:
      return read<std::uint64_t>(bytes);
    case ElementType::uint8:
      return read<std::uint8_t>(bytes);
  }
  return 0;
}

std::vector<std::int64_t> chosen_elements(const SessionProblem& problem,
                                          const PlannedBuffer& buffer, std::int64_t most,
                                          std::uint64_t seed) {
  return elements_to_check(buffer.count, problem.reference.reduced ? buffer.count : most, seed);
}

Expected expected_from(const std::vector<std::uint8_t>& bytes, const PlannedBuffer& buffer,
                       int argument, std::vector<std::int64_t> elements) {
  Expected expected;
  expected.argument = argument;
  expected.values.reserve(elements.size());
  for (const std::int64_t element : elements)
    expected.values.push_back(
        read(buffer.type, bytes.data() + static_cast<std::size_t>(element) * size_of(buffer.type)));
  expected.elements = std::move(elements);
  return expected;
}

void run_reference(const ReferencePlan& reference, const Operands& operands, int device,
                   cudaStream_t stream) {
  const Kernels kernels(reference.code, reference.symbols, {&reference.launches, 1}, device);
  GuardedBuffer workspace;
  if (reference.launches.workspace_bytes > 0) {
    workspace = GuardedBuffer(reference.launches.workspace_bytes, 0);
    check(cudaMemsetAsync(workspace.data(), 0, static_cast<std::size_t>(workspace.size()), stream),
          "clear the reference's workspace");
  }
  const CallOperands call = operands.call(workspace.data());
  kernels.check_launches(reference.launches, call);
  operands.prepare(stream);
  kernels.call(reference.launches, call, stream);
  check_trial(cudaStreamSynchronize(stream), "run");
}

std::vector<Expected> from_kernel(const SessionProblem& problem, const Operands& operands,
                                  std::uint64_t seed, int device, cudaStream_t stream) {
  run_reference(problem.reference, operands, device, stream);
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!operands.is_written(i)) continue;
    const PlannedBuffer& buffer = problem.buffers[i];
    answers.push_back(
        expected_from(download(operands.device(i), stream), buffer, static_cast<int>(i),
                      chosen_elements(problem, buffer, kMostOfKernelReference, seed)));
  }
  operands.repair(stream);
  check_trial(cudaStreamSynchronize(stream), "restoring the operands");
  return answers;
}

std::vector<Expected> from_host(const SessionProblem& problem, const Operands& operands,
                                std::int64_t most, std::uint64_t seed) {
  const auto reference =
      make_reference(problem.reference.builtin, problem.problem, problem.buffers, operands.host());
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!operands.is_written(i)) continue;
    answers.push_back(expect(*reference, static_cast<int>(i),
                             chosen_elements(problem, problem.buffers[i], most, seed)));
  }
  return answers;
}

}  // namespace

std::vector<Expected> right_answers(const SessionProblem& problem, const Operands& operands,
                                    std::int64_t most, std::uint64_t seed, int device,
                                    cudaStream_t stream) {
  if (!problem.reference.builtin.empty()) return from_host(problem, operands, most, seed);
  try {
    return from_kernel(problem, operands, seed, device, stream);
  } catch (const TrialError& error) {
    throw MachineError(fmt::format("the reference kernel of {} failed ({}): {}",
                                   problem.problem.operation, to_text(problem.problem.values),
                                   error.failure().message));
  }
}

}  // namespace tilewright::cuda
