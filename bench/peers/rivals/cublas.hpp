#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/peers/cases/gemm_problem.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "definition/problem.hpp"
#include "tuner/cuda/libraries/problems.hpp"

namespace tilewright::bench {

inline constexpr std::size_t kCublasWorkspace = std::size_t{64} << 20;

// The task's problem as a routine gets it. Throws CannotCompete.
inline cuda::LtProblem product_problem(const SweepRequest& request) {
  const PlannedRoutine routine =
      plan_routine(*request.operation, {}, full_scope(request.problem, request.device));
  return cuda::product_of(cuda::RoutineValues(routine));
}

// Without a bias, and with the factors that the field's operands have.
inline cuda::LtOperands product_operands(const Field& field, std::span<void* const> operands) {
  static constexpr std::array<std::uint64_t, 1> kZero = {};  // 0 in every type
  const auto& before = field.operands().before();
  const bool accumulates = to_text(field.problem().values.at("accumulate")) == "yes";
  return {operands[kA], operands[kB], operands[kC], before[kAlpha].data(),
          accumulates ? static_cast<const void*>(before[kBeta].data()) : &kZero};
}

}  // namespace tilewright::bench
