#include "tuner/backend/reference_note.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace tilewright {
namespace {

bool has_default_integers(const PlannedBuffer& buffer) {
  const Fill usual = default_fill(buffer.type);
  return buffer.kind == ArgumentKind::buffer && buffer.role != ArgumentRole::output &&
         is_integer(buffer.type) && buffer.fill.kind == usual.kind &&
         buffer.fill.low == usual.low && buffer.fill.high == usual.high;
}

bool has_reference_kernel(const SessionProblem& problem) {
  const ReferencePlan& reference = problem.reference;
  return reference.given.empty() && reference.builtin.empty() &&
         !reference.launches.launches.empty();
}

}  // namespace

std::string integer_fill_note(const SessionProblem& problem) {
  std::vector<std::string> names;
  for (const PlannedBuffer& buffer : problem.buffers)
    if (has_default_integers(buffer)) names.push_back(buffer.name);
  if (names.empty()) return "";
  const Fill usual = default_fill(ElementType::int32);
  return fmt::format("; check the fills of its integer inputs: {} {} random from {} to {}",
                     fmt::join(names, ", "), names.size() == 1 ? "is" : "are", usual.low,
                     usual.high);
}

std::string opening_note(const SessionPlan& plan) {
  std::set<std::string> kernels;
  std::vector<std::string> problems;
  std::string note;
  for (const SessionProblem& problem : plan.problems) {
    for (const FillPlan& fill : problem.fills)
      kernels.insert(fmt::format("the kernel that fills '{}'",
                                 problem.buffers[static_cast<std::size_t>(fill.argument)].name));
    if (has_reference_kernel(problem)) {
      kernels.insert("the reference kernel");
      if (note.empty()) note = integer_fill_note(problem);
    } else if (problem.fills.empty()) {
      continue;
    }
    problems.push_back('(' + to_text(problem.problem.values) + ')');
  }
  if (problems.empty()) return "";
  return fmt::format("; it ran {} of {} for {}{}", fmt::join(kernels, " and "),
                     plan.problems.front().problem.operation, fmt::join(problems, ", "), note);
}

}  // namespace tilewright
