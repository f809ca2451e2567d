#include "tuner/sweep/devices/told_apart.hpp"

#include <fmt/format.h>

#include "definition/text/errors.hpp"

namespace tilewright {
namespace {

using Kind = SimpleAnswer::Kind;

// A kernel that does nothing must not pass the problem that is tuned.
bool is_decisive(const SimpleAnswer& answer) {
  return answer.problem == 0 && (answer.kind == Kind::zeros || answer.kind == Kind::input);
}

}  // namespace

std::string name_of(const SimpleAnswer& answer) {
  switch (answer.kind) {
    case Kind::zeros:
      return "zeros";
    case Kind::input:
      return "input " + answer.input;
    case Kind::missing_term:
      return "missing term";
    case Kind::scaled:
      return "1.01 times";
  }
  return "";
}

void require_told_apart(const std::vector<SimpleAnswer>& answers, const Operation& operation) {
  std::string passing;
  for (const SimpleAnswer& answer : answers)
    if (is_decisive(answer) && answer.counts() && answer.passes)
      passing += fmt::format("{}{} in place of '{}' (wrong in {} elements, told apart in {})",
                             passing.empty() ? "" : ", ", name_of(answer), answer.output,
                             answer.altered, answer.told);
  if (passing.empty()) return;
  throw bad_input(
      "operation '{}': its comparison would pass a kernel that does none of the work: {}. Give a "
      "tolerance that suits the outputs ('absolute', 'scale' or 'reduction' of "
      "[operation.compare], 'atol' of tune_kernel), or other inputs ('fill', or your arrays)",
      operation.name, passing);
}

}  // namespace tilewright
