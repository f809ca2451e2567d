#include "tuner/verify/checked_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "definition/text/errors.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {

OperandData::OperandData(std::vector<PlannedBuffer> buffers, std::uint64_t seed)
    : plan_(std::move(buffers)),
      before_(plan_.size()),
      values_(plan_.size()),
      arguments_(plan_.size()) {
  for (std::size_t i = 0; i < plan_.size(); ++i)
    if (plan_[i].role != ArgumentRole::output)
      set_before(i, fill_buffer(plan_[i], static_cast<int>(i), seed));
}

void OperandData::set_before(std::size_t index, std::vector<std::uint8_t> bytes) {
  before_[index] = std::move(bytes);
  // Small inputs may be passed by value.
  if (!is_buffer(index) || (is_input(index) && bytes_of(index) <= kMostParameterBytes))
    values_[index] = before_[index];
  // An array is passed as a struct with its whole capacity.
  if (plan_[index].kind == ArgumentKind::array)
    values_[index].resize(static_cast<std::size_t>(plan_[index].capacity) *
                          size_of(plan_[index].type));
  arguments_[index].values = std::as_bytes(std::span(values_[index]));
}

std::string label_of(std::size_t number, const SessionProblem& problem) {
  return number == 0 ? "" : " on " + to_text(problem.problem.values);
}

void run_fills(const SessionProblem& problem, const std::function<void(const FillPlan&)>& run,
               const std::function<void(std::size_t argument)>& keep) {
  for (const FillPlan& fill : problem.fills) {
    const auto index = static_cast<std::size_t>(fill.argument);
    try {
      run(fill);
    } catch (const TrialError& error) {
      throw broken_machine("the kernel that fills '{}' of {} failed ({}): {}",
                           problem.buffers[index].name, problem.problem.operation,
                           to_text(problem.problem.values), error.failure().message);
    }
    keep(index);
  }
}

RightAnswers right_answers(const SessionProblem& problem, const OperandData& operands,
                           const CheckLimits& limits, std::uint64_t seed,
                           const std::function<std::vector<Expected>()>& from_kernel) {
  const ReferencePlan& reference = problem.reference;
  const auto compared = [&](std::vector<Expected> outputs) -> RightAnswers {
    const std::vector<std::string>& ignored = reference.comparison.ignored;
    std::erase_if(outputs, [&](const Expected& output) {
      const auto index = static_cast<std::size_t>(output.argument);
      return std::ranges::find(ignored, operands.plan()[index].name) != ignored.end();
    });
    return {reference.comparison, std::move(outputs)};
  };
  if (!reference.given.empty()) return compared(given_answers(problem, seed));
  if (!reference.builtin.empty())
    return compared(builtin_answers(problem, operands.before(), limits, seed));
  try {
    return compared(from_kernel());
  } catch (const TrialError& error) {
    throw broken_machine("the reference kernel of {} failed ({}): {}{}", problem.problem.operation,
                         to_text(problem.problem.values), error.failure().message,
                         integer_fill_note(problem));
  }
}

std::vector<Expected> kernel_answers(const OperandData& operands, const BytesOf& bytes_of,
                                     std::int64_t most, std::uint64_t seed) {
  std::vector<Expected> answers;
  for (std::size_t i = 0; i < operands.plan().size(); ++i) {
    if (!operands.is_written(i)) continue;
    const PlannedBuffer& buffer = operands.plan()[i];
    answers.push_back(expected_from(bytes_of(i), buffer, static_cast<int>(i),
                                    elements_to_check(buffer.count, most, seed)));
  }
  return answers;
}

void judge_guard(const GuardZone& guard, const std::string& label) {
  if (const auto damage = first_damage(guard.bytes))
    throw TrialError(
        Outcome::wrote_out_of_bounds,
        fmt::format("wrote outside {}: changed the byte at offset {} of its {} bytes{}",
                    guard.buffer, guard.offset + *damage, guard.buffer_bytes, label));
}

void judge_input(const OperandData& operands, std::size_t argument,
                 std::span<const std::uint8_t> after, const std::string& label) {
  const std::vector<std::uint8_t>& before = operands.before()[argument];
  const auto differs = std::ranges::mismatch(before, after);
  if (differs.in1 == before.end()) return;
  throw TrialError(Outcome::wrote_out_of_bounds,
                   fmt::format("changed the input {} at byte {}{}", operands.plan()[argument].name,
                               differs.in1 - before.begin(), label));
}

void judge_outputs(const OperandData& operands, const RightAnswers& answers,
                   const BytesOf& bytes_of, const std::string& label, Verification& sum) {
  for (const Expected& expected : answers.outputs) {
    const auto index = static_cast<std::size_t>(expected.argument);
    const PlannedBuffer& buffer = operands.plan()[index];
    const OutputComparison found =
        compare_output(bytes_of(index), buffer, expected, answers.comparison);
    sum.outputs_checked += found.checked;
    sum.outputs_total += buffer.count;
    sum.worst_error = std::max(sum.worst_error, found.worst_error);
    sum.worst_ratio = std::max(sum.worst_ratio, found.worst_ratio);
    if (!found.message.empty()) throw TrialError(Outcome::wrong_answer, found.message + label);
  }
}

void keep_worst(Verification& sum, const Verification& run) {
  sum.worst_error = std::max(sum.worst_error, run.worst_error);
  sum.worst_ratio = std::max(sum.worst_ratio, run.worst_ratio);
}

}  // namespace tilewright
