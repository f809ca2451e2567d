// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// Which elements of an output of `count`, in rows of `row` (0: it has none), are compared: all if
// there are at most `most`. Else the first and last 1024, both ends of the first and the last row,
// and others chosen by the seed, up to a quarter of them ends of rows. Ascending, without
// duplicates.
std::vector<std::int64_t> elements_to_check(std::int64_t count, std::int64_t most,
                                            std::uint64_t seed, std::int64_t row = 0);

// How many elements of each of `outputs` outputs a reference that takes so many multiply-adds for
// one of them works out: what the limits allow, but never fewer than 4096 in all.
std::int64_t affordable_elements(const CheckLimits& limits, std::int64_t multiply_adds,
                                 std::int64_t outputs);

// Right answers for some elements of one output.
struct Expected {
  int argument = 0;
  std::vector<std::int64_t> elements;
  std::vector<double> values;
};

// Works the elements out on all cores. Deterministic.
Expected expect(const HostReference& reference, int argument, std::vector<std::int64_t> elements);

// Those elements of an output as a reference kernel left it.
Expected expected_from(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                       int argument, std::vector<std::int64_t> elements);

// The problem's built-in reference for every output and inout, in the order of its arguments; for
// all elements where outputs are compared reduced. `data` are the arguments before a call. Throws
// InputError if the operation is not what the reference needs.
std::vector<Expected> builtin_answers(const SessionProblem& problem, const ArgumentData& data,
                                      const CheckLimits& limits, std::uint64_t seed);

// What the problem's reference has in files, in the order of its arguments: of each output at most
// 2²⁴ elements, all of them where outputs are compared reduced. Throws InputError for a file that
// is missing or too short.
std::vector<Expected> given_answers(const SessionProblem& problem, std::uint64_t seed);

}  // namespace tilewright
