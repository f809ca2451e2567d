#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/backend/evaluator.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// The most elements that are compared of an output whose right answers a kernel or a file gives.
inline constexpr std::int64_t kMostCompared = 1 << 24;

// Which elements to compare of an output with `count` elements in rows of `row` (0: no rows). All
// if there are at most `most`. Otherwise the first and last 1024, both ends of the first and the
// last row, and others by the seed, of which up to a quarter are ends of rows. Ascending and
// unique.
std::vector<std::int64_t> elements_to_check(std::int64_t count, std::int64_t most,
                                            std::uint64_t seed, std::int64_t row = 0);

// How many elements of each of `outputs` outputs a reference may compute if one element takes
// `multiply_adds`. The limits decide, but it is never fewer than 4096 in all.
std::int64_t affordable_elements(const CheckLimits& limits, std::int64_t multiply_adds,
                                 std::int64_t outputs);

// Right answers for some elements of one output.
struct Expected {
  int argument = 0;
  std::vector<std::int64_t> elements;
  std::vector<double> values;
  std::vector<std::uint8_t> rounded = {};  // instead of the values: elements of the output's type
  double size = 1;                         // elements::size_of_terms()
};

// Computes the elements on all cores. Deterministic.
Expected expect(const HostReference& reference, int argument, std::vector<std::int64_t> elements);

// Takes the elements from an output that a reference kernel wrote.
Expected expected_from(std::span<const std::uint8_t> output, const PlannedBuffer& buffer,
                       int argument, std::vector<std::int64_t> elements);

// The built-in reference's answers for every output and inout, in the order of the arguments. They
// have all elements if outputs are compared reduced. `data` are the arguments before a call. Throws
// InputError if the operation does not suit the reference.
std::vector<Expected> builtin_answers(const SessionProblem& problem, const ArgumentData& data,
                                      const CheckLimits& limits, std::uint64_t seed);

// The answers that the caller gave in files, in the order of the arguments. They have at most
// kMostCompared elements of each output, or all if outputs are compared reduced. Throws InputError
// if a file is missing or too short.
std::vector<Expected> given_answers(const SessionProblem& problem, std::uint64_t seed);

}  // namespace tilewright
